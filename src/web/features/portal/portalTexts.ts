import { plural, t } from "@lingui/core/macro"

/** Texts of the developer portal. */
export const portalTexts = {
  navigation: {
    title: t`Developers`,
    apps: t`Apps`,
    reference: t`API reference`
  },
  backToApps: t`Apps`,
  list: {
    title: t`Apps`,
    empty: t`No apps yet`,
    emptyAdvice: t`Register an app so that merchants can install it in their stores.`,
    name: t`Name`,
    installations: t`Installations`,
    permissions: t`Permissions`,
    registered: t`Registered`,
    stores: (stores: number) => plural(stores, { one: "# store", other: "# stores" }),
    permissionCount: (permissions: number) => plural(permissions, { one: "# permission", other: "# permissions" }),
    register: t`Register app`
  },
  register: {
    title: t`Register app`,
    appType: t`App type`,
    type: t`Type`,
    typeHint: t`You cannot change the type later.`,
    types: {
      confidential: t`Confidential: runs on a server that keeps a secret`,
      public: t`Public: runs on users' devices, without a secret`
    },
    registered: (app: string) => t`${app} registered`,
    nextStep: t`Next step`,
    saveSecret: t`Save your client secret`,
    noSecret: t`This app has no secret. Its client ID is on the app page.`,
    secret: t`Client secret`,
    secretHint: t`This secret is shown only once. Store it on your server, not in code. If you lose it, create a new one.`,
    getStarted: t`Get started`,
    unsaved: t`This app is not registered yet. Your entries will be lost.`
  },
  form: {
    details: t`App details`,
    name: t`Name`,
    nameHint: t`Shown to merchants.`,
    website: t`Website`,
    websitePlaceholder: t`https://app.example.com/`,
    websiteHint: t`A page about your app. Optional.`,
    logo: t`Logo URL`,
    logoPlaceholder: t`https://app.example.com/logo.png`,
    logoHint: t`An image. Optional.`,
    authorization: t`Authorization`,
    redirectUris: t`Redirect URIs`,
    redirectUrisPlaceholder: t`https://app.example.com/callback`,
    redirectUrisHint: t`One per line, matched exactly. Use https, or http on 127.0.0.1, [::1] or localhost with any port. Public apps can use their own scheme, such as com.example.app:/callback.`,
    permissions: t`Permissions`,
    scopes: t`Scopes`,
    scopesHint: t`Request only what your app needs. Merchants see each permission before they approve it.`,
    capabilities: t`Capabilities`
  },
  details: {
    fallbackTitle: t`App`,
    tabs: {
      label: t`App details`,
      getStarted: t`Get started`,
      settings: t`Settings`,
      secret: t`Client secret`,
      webhook: t`Webhook`,
      deliveries: t`Deliveries`,
      installations: t`Installations`
    },
    unsaved: t`Your changes to the app settings are not saved and will be lost.`
  },
  settings: {
    saved: t`Settings saved`,
    permissionsAdvice: t`Existing installations keep their permissions until the merchant approves the new ones.`
  },
  secret: {
    graceTimes: {
      day: t`1 day`,
      week: t`1 week`,
      month: t`30 days`,
      none: t`0 days (the secret leaked)`
    },
    newSecret: t`New client secret`,
    label: t`Client secret`,
    hint: t`This secret is shown only once. Deploy it to your servers, then check that they can still refresh tokens.`,
    active: t`Active secrets`,
    created: t`Created`,
    expires: t`Expires`,
    expiresWhenReplaced: t`When replaced`,
    rotate: t`Rotate client secret`,
    graceTime: t`Keep the current secret for`,
    graceTimeHint: t`Gives you time to deploy the new secret. At most two secrets are active.`,
    create: t`Create new secret`,
    confirmCreate: t`Create secret`,
    confirm: t`Create a new secret?`,
    endsNow: t`The current secret stops working now. Servers that use it cannot get or refresh tokens until they have the new one.`,
    endsLater: t`The current secret keeps working for the chosen time. If an older secret is still active, it stops working now.`
  },
  getStarted: {
    shell: t`Shell`,
    setValues: t`Set the values of your app.`,
    values: t`Values`,
    authorize: t`Open the printed address as a merchant. The merchant reviews the permissions and approves them.`,
    authorizeTitle: t`Request authorization`,
    exchange: t`The browser returns to your redirect URI with a code that is valid for one minute. Check that its state is yours, then exchange the code for tokens.`,
    exchangeTitle: t`Exchange code`,
    readStore: t`Read the store.`,
    firstRequest: t`First request`,
    typeScript: t`TypeScript`,
    sdkAdvice: t`The SDK runs the same steps. It also refreshes tokens, retries requests without a response, and keeps every digit of a number.`,
    sdk: t`SDK`,
    clientId: t`Client ID`,
    type: t`Type`,
    types: {
      public: t`Public`,
      confidential: t`Confidential`
    },
    installations: t`Installations`,
    documentation: t`Documentation`,
    reference: t`API reference`,
    noRedirectUri: t`This app has no redirect URI`,
    noRedirectUriAdvice: t`Add a redirect URI under Settings. Merchants return to it with an authorization code.`
  },
  installations: {
    caption: t`Installations`,
    empty: t`No installations yet`,
    emptyAdvice: t`Send a merchant to the authorization address under Get started.`,
    storeAdvice: t`To find the store of an installation, call GET /store with the token of the installation.`,
    installation: t`Installation`,
    permissions: t`Permissions`,
    status: t`Status`,
    suspended: t`Suspended`,
    active: t`Active`,
    installed: t`Installed`
  },
  deliveries: {
    viewDetails: (event: string) => t`View details of ${event}`,
    noDeliveriesAdvice: t`Events from the stores that have this app appear here.`
  },
  test: {
    title: t`Test webhook`,
    response: t`Response`,
    noResponse: t`None`,
    sending: t`Sending…`,
    send: t`Send test event`,
    advice: (event: string) => t`Sends one signed ${event} event now. Every 2xx response is a success.`
  },
  webhookStatus: {
    pauseReasons: {
      operator: t`You or the service operator paused it.`,
      gone: t`Your endpoint returned 410 Gone.`,
      failing: t`Your endpoint failed for five days.`
    },
    paused: t`Webhook paused`,
    resumedWithDeliveries: (deliveries: number) =>
      t`Webhook resumed. ${plural(deliveries, { one: "# delivery", other: "# deliveries" })} queued.`,
    resumed: t`Webhook resumed`,
    title: t`Status`,
    since: t`Since`,
    pendingExpireFrom: t`Pending deliveries expire from`,
    openResume: t`Resume webhook…`,
    pause: t`Pause webhook`,
    confirmResume: t`Resume the webhook?`,
    resume: t`Resume webhook`,
    pendingDeliveries: t`Pending deliveries`,
    sendPending: t`Send now`,
    skipPending: t`Skip`,
    pending: (deliveries: number) => t`${plural(deliveries, { one: "# delivery", other: "# deliveries" })} pending.`
  },
  webhook: {
    saved: t`Webhook saved`,
    saveSecret: t`Save your signing secret`,
    secret: t`Signing secret`,
    secretHint: t`This secret is shown only once. Verify the signature of each delivery with it.`,
    setUp: t`Set up webhook`,
    endpoint: t`Endpoint`,
    url: t`URL`,
    urlPlaceholder: t`https://app.example.com/hooks`,
    urlHint: t`An https address that this service can reach. A demo on your computer also accepts http://localhost.`,
    events: t`Events`,
    save: t`Save webhook`
  },
  signingSecret: {
    title: t`Signing secret`,
    oneSecret: t`One secret signs deliveries.`,
    twoSecrets: t`Two secrets sign deliveries until the previous one expires. You can already use the new one.`,
    newSecret: t`New signing secret`,
    newSecretHint: t`This secret is shown only once. Add it to your endpoint.`,
    openRotate: t`Rotate signing secret…`,
    confirm: t`Rotate the signing secret?`,
    rotate: t`Rotate secret`,
    rotateAdvice: t`A new secret is created and shown once.`,
    current: t`Current secret`,
    expireNow: t`Expire now (the secret leaked)`,
    keepFor: (hours: number) => t`Keep for ${plural(hours, { one: "# hour", other: "# hours" })}`
  }
} as const
