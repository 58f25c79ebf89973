import { type Html, html } from "./Html.ts"

/** Why it is asked once more, if it is. */
export const alertOf = (refusal: string | undefined): Html | undefined =>
  refusal === undefined ? undefined : html`<p class="alert" role="alert">${refusal}</p>`

/** A form, with the token that shows that it is ours. */
export const formWith = (token: string, content: Html): Html => html`
  <form method="post">
    <input type="hidden" name="token" value="${token}" />
    ${content}
  </form>
`
