import { Effect } from "effect"
import { AskedAgain, type Consenting } from "./Consenting.ts"
import { html } from "./Html.ts"

/** How clients of agents are consented to: not yet. */
export const agentConsent = (name: string): Consenting => ({
  ask: ({ storeName }) =>
    Effect.succeed({
      heading: html`<bdi>${name}</bdi> asks for an agent of <bdi>${storeName}</bdi>`,
      terms: html`<p>Agents are made in the dashboard; they cannot be connected here yet.</p>`
    }),
  agree: () => new AskedAgain({ reason: "Agents cannot be connected here yet" })
})
