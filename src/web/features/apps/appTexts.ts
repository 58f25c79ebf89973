import { count, number } from "../../shared/data/format.ts"

/** Texts of the app pages. */
export const appTexts = {
  list: {
    title: "Apps",
    empty: "No apps installed",
    emptyAdvice: "To install an app, start on its website. It brings you here to approve its permissions.",
    caption: "Apps installed in this store",
    app: "App",
    status: "Status",
    permissions: "Permissions",
    installed: "Installed"
  },
  details: {
    fallbackTitle: "App",
    back: "Apps",
    suspended: "This app is suspended. Its requests are rejected and it receives no events until you resume it.",
    status: "Status",
    installed: "Installed",
    tabs: {
      label: "App details",
      permissions: "Permissions",
      deliveries: "Deliveries",
      requests: "Requests",
      billing: "Billing"
    }
  },
  actions: {
    resume: "Resume app",
    suspend: "Suspend app",
    uninstall: "Uninstall app",
    suspended: (app: string) => `${app} suspended`,
    resumed: (app: string) => `${app} resumed`,
    uninstalled: (app: string) => `${app} uninstalled`,
    confirmSuspend: (app: string) => `Suspend ${app}?`,
    suspendBlocksRequests: "All requests of the app are rejected until you resume it.",
    suspendDropsEvents:
      "Events sent during the suspension are not delivered. The app keeps its permissions and its data.",
    confirmUninstall: (app: string) => `Uninstall ${app}?`,
    uninstallEndsAccess:
      "The app loses access immediately. Its pending deliveries and its subscription are canceled. You cannot undo this.",
    uninstallDeletesData: (hours: number) =>
      `You can install the app again. Its data in your store is deleted after ${count(hours, "hour")} unless you do.`
  },
  billing: {
    choosePlan: (action: string, plan: string) => `${action}: ${plan}`,
    subscription: "Your subscription",
    cancel: "Cancel subscription",
    plan: "Plan",
    price: "Price",
    started: "Started",
    status: "Status",
    availablePlans: "Available plans",
    noPlans: "No paid plans",
    noPlansAdvice: "Plans that the developer of this app offers appear here.",
    currentPlan: "Current plan",
    ownersOnly: "Owners only",
    ownersOnlyAdvice:
      "Only store owners can manage app subscriptions. Ask an owner to do this, or to make you an owner.",
    subscribed: (plan: string) => `Subscribed to ${plan}`,
    confirmSwitch: (plan: string) => `Switch to ${plan}?`,
    switchPlan: "Switch plan",
    subscribe: "Subscribe",
    switchEndsSubscription: (plan: string) =>
      `Your ${plan} subscription ends now, and the amount that you paid for it is not credited. A running trial continues.`,
    canceled: (plan: string) => `${plan} subscription canceled`,
    confirmCancel: (plan: string) => `Cancel the ${plan} subscription?`,
    agreement: { before: "You agree to pay ", after: " until you cancel." },
    cancelEnds: (date: string) => `It ends on ${date} and does not renew. The app stays installed.`,
    cancelAdvice: "If you subscribe again, the current price of the plan applies.",
    confirmSubscribe: (plan: string) => `Subscribe to ${plan}?`,
    pricePerPeriod: (amount: string, period: string) => `${amount} per ${period}`,
    noTrial: "No trial",
    trial: (days: number) => `Free trial of ${count(days, "day")} with your first subscription to this app`,
    trialUntil: (date: string) => `Trial until ${date}`,
    renewsOn: (date: string) => `Renews on ${date}`,
    endsOn: (date: string) => `Ends on ${date}`
  },
  installationStates: {
    active: "Active",
    suspended: "Suspended",
    uninstalled: "Uninstalled"
  },
  webhook: {
    pauseReasons: {
      operator: "the app's developer or the service operator paused it",
      gone: "the app's endpoint returned 410 Gone",
      failing: (days: number) => `the app's endpoint failed for ${count(days, "day")}`
    },
    missing: "This app receives no events.",
    pausedByMember: (since: string) => `A member of your store paused deliveries ${since}.`,
    pausedForAllStores: (since: string, reason?: string) =>
      `Paused for all stores ${since}${reason === undefined ? "" : `: ${reason}`}.`,
    healthy: "Events are delivered as they occur.",
    notCalled: "The app receives its first event after the next change of the store.",
    testFailed: (at: string) => `The last test of the app failed ${at}. Events are sent as they occur.`,
    failing: (since: string) => `The first failure was ${since}. Failed deliveries are retried.`,
    pausedToast: "Deliveries paused",
    resumedToast: "Deliveries resumed",
    title: "Webhook",
    resume: "Resume deliveries",
    pause: "Pause deliveries",
    status: "Status",
    endpoint: "Endpoint",
    noEndpoint: "None",
    events: "Events",
    noEvents: "None",
    pausedAdvice: (days: number) => `Events are kept for ${count(days, "day")} and sent when you resume.`
  },
  deliveries: {
    viewDetails: (date: string) => `View details of the delivery from ${date}`,
    noDeliveriesAdvice: "Events sent to this app appear here.",
    delivery: "Delivery"
  },
  requests: {
    clientDisconnected: "Client disconnected",
    title: "Recent requests",
    request: "Request",
    response: "Response",
    time: "Time",
    duration: "Duration",
    milliseconds: (duration: number) => `${number(duration)} ms`,
    empty: "No requests yet",
    emptyAdvice: (requests: number) => `The last ${count(requests, "request")} of this app appear here.`,
    shown: (requests: number) => `Shows the last ${count(requests, "request")}.`
  }
} as const
