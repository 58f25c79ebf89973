import { Cookies } from "effect/http"
import { GRANT_DESCRIPTIONS } from "../../domain/access/GrantDescriptions.ts"
import { minutes } from "../../domain/access/Sessions.ts"
import { type Language, languageOf } from "../../domain/Language.ts"
import type { RequestHeaders } from "../headers/Origin.ts"
import { type Html, html } from "./Html.ts"

const english = {
  descriptions: GRANT_DESCRIPTIONS.en,
  cancel: "Cancel",
  signIn: {
    title: "Sign in",
    failedTitle: "Sign-in failed",
    purpose: (client: string) => html`Sign in to choose what <bdi>${client}</bdi> can do in your store.`,
    email: "E-mail address",
    password: "Password",
    submit: "Sign in",
    invalidEmail: "Enter an e-mail address, such as ada@example.com",
    missingPassword: "Enter your password",
    refused:
      "The e-mail address or the password is wrong; try again, or ask an owner of your store for a link that resets the password",
    tooMany: (seconds: number) =>
      `Too many failed sign-ins; wait ${minutes(seconds)}, or ask an owner of your store for a link that resets your password`,
    busy: (seconds: number) => `Too many people are signing in at the moment; try again in ${seconds} seconds`
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
    notMember: "The store was not found, or you are not a member; choose another store or account",
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
    limitReached: (agents: number) => `A store has at most ${agents} agents; revoke one that is no longer used`,
    unknownClient: "The client is no longer known; return to it and start again",
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
    foreignOrigin:
      "The request comes from another origin; open the service at its PUBLIC_URL or, if it has none, at localhost",
    formTitle: "Invalid form",
    noAction: "The form has no valid action. Reload the page and use its buttons.",
    unexpectedTitle: "Something went wrong",
    unexpectedAdvice: (requestId: string) =>
      `Nothing has changed. Reload the page in a moment. If it fails again, contact support with request ${requestId}.`
  }
}

/** Texts of the sign-in, store and consent pages. Names that come from users are isolated with `bdi`. */
export type ConsentTexts = typeof english & { readonly language: Language }

const german: typeof english = {
  descriptions: GRANT_DESCRIPTIONS.de,
  cancel: "Abbrechen",
  signIn: {
    title: "Anmelden",
    failedTitle: "Anmeldung fehlgeschlagen",
    purpose: (client) => html`Melden Sie sich an, um zu wählen, was <bdi>${client}</bdi> in Ihrem Shop tun darf.`,
    email: "E-Mail-Adresse",
    password: "Passwort",
    submit: "Anmelden",
    invalidEmail: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel ada@example.com",
    missingPassword: "Geben Sie Ihr Passwort ein",
    refused:
      "Die E-Mail-Adresse oder das Passwort ist falsch. Versuchen Sie es noch einmal, oder bitten Sie einen Inhaber Ihres Shops um einen Link zum Zurücksetzen",
    tooMany: (seconds) =>
      `Zu viele fehlgeschlagene Anmeldungen. Warten Sie ${Math.ceil(seconds / 60)} Min., oder bitten Sie einen Inhaber Ihres Shops um einen Link zum Zurücksetzen`,
    busy: (seconds) => `Gerade melden sich zu viele Personen an. Versuchen Sie es in ${seconds} s noch einmal`
  },
  account: {
    signedInAs: (email) => html`Angemeldet als <bdi>${email}</bdi>`,
    otherStore: "Anderen Shop wählen",
    otherAccount: "Anderes Konto verwenden"
  },
  store: {
    title: "Shop wählen",
    heading: (client) => html`Wählen Sie einen Shop für <bdi>${client}</bdi>`,
    next: "Auf der nächsten Seite wählen Sie, was dort erlaubt ist.",
    notMember:
      "Der Shop wurde nicht gefunden, oder Sie sind kein Mitglied. Wählen Sie einen anderen Shop oder ein anderes Konto",
    noneTitle: "Kein Shop",
    noneHeading: "Sie sind in keinem Shop Mitglied",
    noneAdvice: (client) =>
      html`Nur ein Mitglied eines Shops kann <bdi>${client}</bdi> Zugriff darauf geben. Bitten Sie einen Inhaber, Sie
        hinzuzufügen, oder verwenden Sie ein anderes Konto.`
  },
  consent: {
    title: (client) => `${client} zulassen?`,
    allow: "Zulassen",
    returnsTo: (target) => html`Beide Antworten führen Sie zurück zu ${target}.`,
    site: (host) => html`<strong>${host}</strong>`,
    localProgram: (address) => html`einem Programm auf diesem Computer, <strong>${address}</strong>`,
    operatorApp: "Vom Betreiber dieses Dienstes registriert",
    madeBy: (developer) => html`Entwickelt von <bdi>${developer}</bdi>`,
    describedBy: (host) => html`Beschrieben von <strong>${host}</strong>`,
    unverifiedName: "Dieser Name ist nicht geprüft",
    permissionsChanged: "Die angefragten Berechtigungen haben sich geändert. Prüfen Sie sie noch einmal"
  },
  app: {
    requestsAccess: (app, store) => html`<bdi>${app}</bdi> bittet um Zugriff auf <bdi>${store}</bdi>`,
    requestsSameAccess: (app, store) => html`<bdi>${app}</bdi> bittet erneut um Zugriff auf <bdi>${store}</bdi>`,
    requestsDifferentAccess: (app, store) => html`<bdi>${app}</bdi> bittet um anderen Zugriff auf <bdi>${store}</bdi>`,
    requested: "Damit kann die App",
    added: "Neu: Damit kann die App auch",
    current: "Die App kann schon",
    removed: "Die App kann nicht mehr"
  },
  agent: {
    requestsAccess: (agent, store) => html`<bdi>${agent}</bdi> bittet als Agent um Zugriff auf <bdi>${store}</bdi>`,
    explanation:
      "Ein Agent ist ein Programm, das selbst entscheidet, was es tut: nach seinen Anweisungen und nach dem, was es liest.",
    permissions: "Der Agent kann die Angaben zum Shop sehen und",
    limits: "Grenzen",
    requireApproval: "Genehmigung verlangen",
    requireApprovalHint: "Jede Änderung wartet, bis ein Mitglied des Shops sie genehmigt.",
    budget: "Höchste Zahl von Änderungen am Tag",
    duration: "Dauer des Zugriffs",
    limitReached: (agents) =>
      `Ein Shop hat höchstens ${agents} Agenten. Widerrufen Sie einen, der nicht mehr gebraucht wird`,
    unknownClient: "Der Client ist nicht mehr bekannt. Kehren Sie zu ihm zurück und beginnen Sie von vorn",
    days: (days) => (days === 1 ? "Ein Tag" : `${days} Tage`),
    untilRevoked: "Bis zum Widerruf",
    invalidBudget: (most) => `Die höchste Zahl von Änderungen am Tag muss eine ganze Zahl von 0 bis ${most} sein`,
    invalidDuration: "Wählen Sie die Dauer des Zugriffs"
  },
  errors: {
    reload: "Seite neu laden",
    linkTitle: "Dieser Link funktioniert nicht",
    linkAdvice: (message) => `Wenden Sie sich an den Entwickler der App. Der Grund: ${message}.`,
    requestTitle: "Die Anfrage der App ist ungültig",
    requestAdvice: "Kehren Sie zur App zurück, um mehr zu erfahren.",
    backToApp: "Zurück zur App",
    expiredTitle: "Diese Seite ist abgelaufen",
    expiredAdvice:
      "Das Formular gehört zu einer anderen Sitzung, oder Ihr Browser sperrt Cookies. Erlauben Sie Cookies und laden Sie die Seite neu.",
    refusedTitle: "Anfrage abgelehnt",
    foreignOrigin:
      "Die Anfrage kommt von einer anderen Herkunft. Öffnen Sie den Dienst unter seiner PUBLIC_URL oder, wenn er keine hat, unter localhost",
    formTitle: "Ungültiges Formular",
    noAction: "Das Formular hat keine gültige Aktion. Laden Sie die Seite neu und verwenden Sie ihre Knöpfe.",
    unexpectedTitle: "Etwas ist schiefgegangen",
    unexpectedAdvice: (requestId) =>
      `Nichts wurde geändert. Laden Sie die Seite gleich noch einmal. Wenn es wieder fehlschlägt, nennen Sie dem Support die Anfrage ${requestId}.`
  }
}

const TEXTS: Readonly<Record<Language, typeof english>> = { en: english, de: german }

/** Language tags of `Accept-Language`, the preferred ones first (RFC 9110, section 12.5.4). */
const acceptedTags = (header: string) =>
  header
    .split(",")
    .map((entry) => {
      const [tag = "", weight = "q=1"] = entry.split(";").map((part) => part.trim())
      return { tag, weight: Number(weight.replace("q=", "")) || 0 }
    })
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ tag }) => tag)

/** Texts in the language that the user chose in the dashboard, else in the first of the browser that has texts. */
export const consentTextsFor = (headers: RequestHeaders): ConsentTexts => {
  const chosen = Cookies.parseHeader(headers.cookie ?? "")["language"] ?? ""
  const language = languageOf([chosen, ...acceptedTags(String(headers["accept-language"] ?? ""))])
  return { ...TEXTS[language], language }
}
