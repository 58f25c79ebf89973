import type { SignedIn } from "../../domain/access/Sessions.ts"
import { html } from "./Html.ts"
import { formWith } from "./Parts.ts"

/** Who is signed in, below everything that they decide; another comes back to where they were. */
export const accountFooter = ({ email }: SignedIn, token: string, otherStores?: string) => html`
  <p>Signed in as <bdi>${email}</bdi></p>
  ${otherStores === undefined ? undefined : html`<a href="${otherStores}">Choose another store</a>`}
  ${formWith(token, html`<button class="link" name="intent" value="sign-out">Use another account</button>`)}
`
