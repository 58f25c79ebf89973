import { plural, t } from "@lingui/core/macro"
import { number } from "../../shared/data/format.ts"

/** Texts of the app pages. */
export const appTexts = {
  list: {
    title: t`Apps`,
    empty: t`No apps installed`,
    emptyAdvice: t`To install an app, start on its website. It brings you here to approve its permissions.`,
    caption: t`Apps installed in this store`,
    app: t`App`,
    status: t`Status`,
    permissions: t`Permissions`,
    installed: t`Installed`
  },
  details: {
    fallbackTitle: t`App`,
    back: t`Apps`,
    suspended: t`This app is suspended. Its requests are rejected and it receives no events until you resume it.`,
    status: t`Status`,
    installed: t`Installed`,
    tabs: {
      label: t`App details`,
      permissions: t`Permissions`,
      deliveries: t`Deliveries`,
      requests: t`Requests`,
      billing: t`Billing`
    }
  },
  actions: {
    resume: t`Resume app`,
    suspend: t`Suspend app`,
    uninstall: t`Uninstall app`,
    suspended: (app: string) => t`${app} suspended`,
    resumed: (app: string) => t`${app} resumed`,
    uninstalled: (app: string) => t`${app} uninstalled`,
    confirmSuspend: (app: string) => t`Suspend ${app}?`,
    suspendBlocksRequests: t`All requests of the app are rejected until you resume it.`,
    suspendDropsEvents: t`Events sent during the suspension are not delivered. The app keeps its permissions and its data.`,
    confirmUninstall: (app: string) => t`Uninstall ${app}?`,
    uninstallEndsAccess: t`The app loses access immediately. Its pending deliveries and its subscription are canceled. You cannot undo this.`,
    uninstallDeletesData: (hours: number) =>
      t`You can install the app again. Its data in your store is deleted after ${plural(hours, { one: "# hour", other: "# hours" })} unless you do.`
  },
  billing: {
    choosePlan: (action: string, plan: string) => t`${action}: ${plan}`,
    subscription: t`Your subscription`,
    cancel: t`Cancel subscription`,
    plan: t`Plan`,
    price: t`Price`,
    started: t`Started`,
    status: t`Status`,
    availablePlans: t`Available plans`,
    noPlans: t`No paid plans`,
    noPlansAdvice: t`Plans that the developer of this app offers appear here.`,
    currentPlan: t`Current plan`,
    ownersOnly: t`Owners only`,
    ownersOnlyAdvice: t`Only store owners can manage app subscriptions. Ask an owner to do this, or to make you an owner.`,
    subscribed: (plan: string) => t`Subscribed to ${plan}`,
    confirmSwitch: (plan: string) => t`Switch to ${plan}?`,
    switchPlan: t`Switch plan`,
    subscribe: t`Subscribe`,
    switchEndsSubscription: (plan: string) =>
      t`Your ${plan} subscription ends now, and the amount that you paid for it is not credited. A running trial continues.`,
    canceled: (plan: string) => t`${plan} subscription canceled`,
    confirmCancel: (plan: string) => t`Cancel the ${plan} subscription?`,
    agreement: (price: string) => t`You agree to pay ${price} until you cancel.`,
    cancelEnds: (date: string) => t`It ends on ${date} and does not renew. The app stays installed.`,
    cancelAdvice: t`If you subscribe again, the current price of the plan applies.`,
    confirmSubscribe: (plan: string) => t`Subscribe to ${plan}?`,
    pricePerPeriod: (amount: string, period: string) => t`${amount} per ${period}`,
    noTrial: t`No trial`,
    trial: (days: number) =>
      t`Free trial of ${plural(days, { one: "# day", other: "# days" })} with your first subscription to this app`,
    trialUntil: (date: string) => t`Trial until ${date}`,
    renewsOn: (date: string) => t`Renews on ${date}`,
    endsOn: (date: string) => t`Ends on ${date}`
  },
  installationStates: {
    active: t`Active`,
    suspended: t`Suspended`,
    uninstalled: t`Uninstalled`
  },
  webhook: {
    pauseReasons: {
      operator: t`the app's developer or the service operator paused it`,
      gone: t`the app's endpoint returned 410 Gone`,
      failing: (days: number) => t`the app's endpoint failed for ${plural(days, { one: "# day", other: "# days" })}`
    },
    missing: t`This app receives no events.`,
    pausedByMember: (since: string) => t`A member of your store paused deliveries ${since}.`,
    pausedForAllStores: (since: string, reason?: string) =>
      reason === undefined ? t`Paused for all stores ${since}.` : t`Paused for all stores ${since}: ${reason}.`,
    healthy: t`Events are delivered as they occur.`,
    notCalled: t`The app receives its first event after the next change of the store.`,
    testFailed: (at: string) => t`The last test of the app failed ${at}. Events are sent as they occur.`,
    failing: (since: string) => t`The first failure was ${since}. Failed deliveries are retried.`,
    pausedToast: t`Deliveries paused`,
    resumedToast: t`Deliveries resumed`,
    title: t`Webhook`,
    resume: t`Resume deliveries`,
    pause: t`Pause deliveries`,
    status: t`Status`,
    endpoint: t`Endpoint`,
    noEndpoint: t`None`,
    events: t`Events`,
    noEvents: t`None`,
    pausedAdvice: t`Events are kept for a limited time and sent when you resume.`
  },
  deliveries: {
    viewDetails: (date: string) => t`View details of the delivery from ${date}`,
    noDeliveriesAdvice: t`Events sent to this app appear here.`,
    delivery: t`Delivery`
  },
  requests: {
    clientDisconnected: t`Client disconnected`,
    title: t`Recent requests`,
    request: t`Request`,
    response: t`Response`,
    time: t`Time`,
    duration: t`Duration`,
    milliseconds: (duration: number) => t`${number(duration)} ms`,
    empty: t`No requests yet`,
    emptyAdvice: (requests: number) =>
      t`The last ${plural(requests, { one: "# request", other: "# requests" })} of this app appear here.`,
    shown: (requests: number) => t`Shows the last ${plural(requests, { one: "# request", other: "# requests" })}.`
  }
} as const
