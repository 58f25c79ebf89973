import { type Html, html } from "./Html.ts"

/** Texts of the sign-in, store and consent pages. Names that come from users are isolated with `bdi`. */
export const consentTexts = {
  cancel: "Cancel",
  signIn: {
    title: "Sign in",
    failedTitle: "Sign-in failed",
    purpose: (client: string) => html`Sign in to choose what <bdi>${client}</bdi> can do in your store.`,
    email: "E-mail address",
    password: "Password",
    submit: "Sign in",
    invalidEmail: "Enter an e-mail address, such as ada@example.com",
    missingPassword: "Enter your password"
  },
  account: {
    signedInAs: (email: string) => html`Signed in as <bdi>${email}</bdi>`,
    otherStore: "Choose another store",
    otherAccount: "Use another account"
  },
  store: {
    title: "Choose a store",
    heading: (client: string) => html`Choose a store for <bdi>${client}</bdi>`,
    next: "On the next page you choose what it can do there.",
    notMember: (message: string) => `${message}, or you are not a member; choose another store or account`,
    noneTitle: "No store",
    noneHeading: "You are not a member of a store",
    noneAdvice: (client: string) =>
      html`Only a member of a store can give <bdi>${client}</bdi> access to it. Ask a store owner to add you, or use
        another account.`
  },
  consent: {
    title: (client: string) => `Allow ${client}?`,
    allow: "Allow",
    returnsTo: (target: Html) => html`Either choice returns you to ${target}.`,
    site: (host: string) => html`<strong>${host}</strong>`,
    localProgram: (address: string) => html`a program on this computer, <strong>${address}</strong>`,
    operatorApp: "Registered by the operator of this service",
    madeBy: (developer: string) => html`Made by <bdi>${developer}</bdi>`,
    describedBy: (host: string) => html`Described by <strong>${host}</strong>`,
    unverifiedName: "This name is not verified",
    permissionsChanged: "The requested permissions have changed; review them again"
  },
  app: {
    requestsAccess: (app: string, store: string) => html`<bdi>${app}</bdi> requests access to <bdi>${store}</bdi>`,
    requestsSameAccess: (app: string, store: string) =>
      html`<bdi>${app}</bdi> requests access again to <bdi>${store}</bdi>`,
    requestsDifferentAccess: (app: string, store: string) =>
      html`<bdi>${app}</bdi> requests different access to <bdi>${store}</bdi>`,
    requested: "It will be able to",
    added: "New: it will also be able to",
    current: "It can already",
    removed: "It will no longer be able to"
  },
  agent: {
    requestsAccess: (agent: string, store: string) =>
      html`<bdi>${agent}</bdi> requests access to <bdi>${store}</bdi> as an agent`,
    explanation:
      "An agent is a program that decides on its own what to do, from its instructions and from what it reads.",
    permissions: "It will be able to see the store details and",
    limits: "Limits",
    requireApproval: "Require approval",
    requireApprovalHint: "Every change waits until a member of the store approves it.",
    budget: "Maximum changes per day",
    duration: "Access duration",
    days: (days: number) => (days === 1 ? "One day" : `${days} days`),
    untilRevoked: "Until revoked",
    invalidBudget: (most: number) => `Maximum changes per day must be a whole number from 0 to ${most}`,
    invalidDuration: "Choose an access duration"
  },
  errors: {
    reload: "Reload page",
    linkTitle: "This link does not work",
    linkAdvice: (message: string) => `${message}. Contact the developer of the app.`,
    requestTitle: "The request of the app is invalid",
    requestAdvice: "Return to the app for details.",
    backToApp: "Back to the app",
    expiredTitle: "This page has expired",
    expiredAdvice:
      "The form belongs to another session, or your browser blocks cookies. Allow cookies and reload the page.",
    refusedTitle: "Request refused",
    formTitle: "Invalid form",
    noAction: "The form has no valid action. Reload the page and use its buttons.",
    unexpectedTitle: "Something went wrong",
    unexpectedAdvice: (requestId: string) =>
      `Nothing has changed. Reload the page in a moment. If it fails again, contact support with request ${requestId}.`
  }
} as const
