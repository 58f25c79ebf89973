import { html } from "./Html.ts"
import type { Page } from "./Page.ts"
import { alertOf, formWith } from "./Parts.ts"

/** What is wrong with a field, below it and tied to it. */
const reasonFor = (id: string, reason: string | undefined) =>
  reason === undefined ? undefined : html`<p class="reason" id="${id}-reason">${reason}</p>`

const describedBy = (id: string, reason: string | undefined) =>
  reason === undefined ? undefined : html`aria-invalid="true" aria-describedby="${id}-reason"`

/** What was typed before and why it was refused. */
export interface Attempt {
  readonly email: string
  readonly status: number
  /** Of the attempt, or of its fields. */
  readonly refusal?: string
  readonly reasons?: { readonly email?: string | undefined; readonly password?: string | undefined }
}

/** Asks who it is, on the way to an app. The address is plain text, as a field of type `email` sends some otherwise. */
export const signInPage = (clientName: string, token: string, attempt?: Attempt): Page => {
  const { email, refusal, reasons = {}, status = 200 } = attempt ?? { email: "" }
  return {
    title: attempt === undefined ? "Sign in" : "Not signed in",
    status,
    main: html`<h1>Sign in</h1>
      <p>to decide what <bdi>${clientName}</bdi> may do in your store.</p>
      ${alertOf(refusal)}
      ${formWith(
        token,
        html`
          <label for="email">E-mail address</label>
          <input
            id="email"
            name="email"
            value="${email}"
            inputmode="email"
            autocomplete="username"
            autocapitalize="none"
            spellcheck="false"
            required
            ${describedBy("email", reasons.email)}
          />
          ${reasonFor("email", reasons.email)}
          <label for="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            ${describedBy("password", reasons.password)}
          />
          ${reasonFor("password", reasons.password)}
          <div class="actions">
            <button class="primary" name="intent" value="sign-in">Sign in</button>
          </div>
        `
      )}`
  }
}
