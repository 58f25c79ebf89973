import { count } from "../../shared/data/format.ts"

/** Texts of the developer portal. */
export const portalTexts = {
  navigation: {
    title: "Developers",
    apps: "Apps",
    reference: "API reference"
  },
  backToApps: "Apps",
  list: {
    title: "Apps",
    empty: "No apps yet",
    emptyAdvice: "Register an app so that merchants can install it in their stores.",
    name: "Name",
    installations: "Installations",
    permissions: "Permissions",
    registered: "Registered",
    register: "Register app"
  },
  register: {
    title: "Register app",
    appType: "App type",
    type: "Type",
    typeHint: "You cannot change the type later.",
    types: {
      confidential: "Confidential: runs on a server that keeps a secret",
      public: "Public: runs on users' devices, without a secret"
    },
    registered: (app: string) => `${app} registered`,
    nextStep: "Next step",
    saveSecret: "Save your client secret",
    noSecret: "This app has no secret. Its client ID is on the app page.",
    secret: "Client secret",
    secretHint:
      "This secret is shown only once. Store it on your server, not in code. If you lose it, create a new one.",
    getStarted: "Get started",
    unsaved: "This app is not registered yet. Your entries will be lost."
  },
  form: {
    details: "App details",
    name: "Name",
    nameHint: "Shown to merchants.",
    website: "Website",
    websitePlaceholder: "https://app.example.com/",
    websiteHint: "A page about your app. Optional.",
    logo: "Logo URL",
    logoPlaceholder: "https://app.example.com/logo.png",
    logoHint: "An image. Optional.",
    authorization: "Authorization",
    redirectUris: "Redirect URIs",
    redirectUrisPlaceholder: "https://app.example.com/callback",
    redirectUrisHint:
      "One per line, matched exactly. Use https, or http on 127.0.0.1, [::1] or localhost with any port. Public apps can use their own scheme, such as com.example.app:/callback.",
    permissions: "Permissions",
    scopes: "Scopes",
    scopesHint: "Request only what your app needs. Merchants see each permission before they approve it.",
    capabilities: "Capabilities"
  },
  details: {
    fallbackTitle: "App",
    tabs: {
      label: "App details",
      getStarted: "Get started",
      settings: "Settings",
      secret: "Client secret",
      webhook: "Webhook",
      deliveries: "Deliveries",
      installations: "Installations"
    },
    unsaved: "Your changes to the app settings are not saved and will be lost."
  },
  settings: {
    saved: "Settings saved",
    permissionsAdvice: "Existing installations keep their permissions until the merchant approves the new ones."
  },
  secret: {
    graceTimes: {
      day: "1 day",
      week: "1 week",
      month: "30 days",
      none: "0 days (the secret leaked)"
    },
    newSecret: "New client secret",
    label: "Client secret",
    hint: "This secret is shown only once. Deploy it to your servers, then check that they can still refresh tokens.",
    active: "Active secrets",
    created: "Created",
    expires: "Expires",
    expiresWhenReplaced: "When replaced",
    rotate: "Rotate client secret",
    graceTime: "Keep the current secret for",
    graceTimeHint: "Gives you time to deploy the new secret. At most two secrets are active.",
    create: "Create new secret",
    confirmCreate: "Create secret",
    confirm: "Create a new secret?",
    endsNow:
      "The current secret stops working now. Servers that use it cannot get or refresh tokens until they have the new one.",
    endsLater:
      "The current secret keeps working for the chosen time. If an older secret is still active, it stops working now."
  },
  getStarted: {
    shell: "Shell",
    setValues: "Set the values of your app.",
    values: "Values",
    authorize: "Open the printed address as a merchant. The merchant reviews the permissions and approves them.",
    authorizeTitle: "Request authorization",
    exchange:
      "The browser returns to your redirect URI with a code that is valid for one minute. Check that its state is yours, then exchange the code for tokens.",
    exchangeTitle: "Exchange code",
    readStore: "Read the store.",
    firstRequest: "First request",
    typeScript: "TypeScript",
    sdkAdvice:
      "The SDK runs the same steps. It also refreshes tokens, retries requests without a response, and keeps every digit of a number.",
    sdk: "SDK",
    clientId: "Client ID",
    type: "Type",
    types: {
      public: "Public",
      confidential: "Confidential"
    },
    installations: "Installations",
    documentation: "Documentation",
    reference: "API reference",
    noRedirectUri: "This app has no redirect URI",
    noRedirectUriAdvice: "Add a redirect URI under Settings. Merchants return to it with an authorization code."
  },
  installations: {
    caption: "Installations",
    empty: "No installations yet",
    emptyAdvice: "Send a merchant to the authorization address under Get started.",
    storeAdvice: "To find the store of an installation, call GET /store with the token of the installation.",
    installation: "Installation",
    permissions: "Permissions",
    status: "Status",
    suspended: "Suspended",
    active: "Active",
    installed: "Installed"
  },
  deliveries: {
    viewDetails: (event: string) => `View details of ${event}`,
    noDeliveriesAdvice: "Events from the stores that have this app appear here."
  },
  test: {
    title: "Test webhook",
    response: "Response",
    noResponse: "None",
    sending: "Sending…",
    send: "Send test event",
    advice: { before: "Sends one signed ", after: " event now. Every 2xx response is a success." }
  },
  webhookStatus: {
    pauseReasons: {
      operator: "You or the service operator paused it.",
      gone: "Your endpoint returned 410 Gone.",
      failing: "Your endpoint failed for five days."
    },
    paused: "Webhook paused",
    resumedWithDeliveries: (deliveries: number) =>
      `Webhook resumed. ${count(deliveries, "delivery", "deliveries")} queued.`,
    resumed: "Webhook resumed",
    title: "Status",
    since: "Since",
    pendingExpireFrom: "Pending deliveries expire from",
    openResume: "Resume webhook…",
    pause: "Pause webhook",
    confirmResume: "Resume the webhook?",
    resume: "Resume webhook",
    pendingDeliveries: "Pending deliveries",
    sendPending: "Send now",
    skipPending: "Skip",
    pending: (deliveries: number) => `${count(deliveries, "delivery", "deliveries")} pending.`
  },
  webhook: {
    saved: "Webhook saved",
    saveSecret: "Save your signing secret",
    secret: "Signing secret",
    secretHint: "This secret is shown only once. Verify the signature of each delivery with it.",
    setUp: "Set up webhook",
    endpoint: "Endpoint",
    url: "URL",
    urlPlaceholder: "https://app.example.com/hooks",
    urlHint: "A public https address.",
    events: "Events",
    save: "Save webhook"
  },
  signingSecret: {
    title: "Signing secret",
    oneSecret: "One secret signs deliveries.",
    twoSecrets: "Two secrets sign deliveries until the previous one expires. You can already use the new one.",
    newSecret: "New signing secret",
    newSecretHint: "This secret is shown only once. Add it to your endpoint.",
    openRotate: "Rotate signing secret…",
    confirm: "Rotate the signing secret?",
    rotate: "Rotate secret",
    rotateAdvice: "A new secret is created and shown once.",
    current: "Current secret",
    expireNow: "Expire now (the secret leaked)",
    keepFor: (hours: number) => `Keep for ${count(hours, "hour")}`
  }
} as const
