import { Effect, Result, Schema, SchemaTransformation } from "effect"
import { BUDGET } from "../../domain/access/Agents.ts"
import { GRANT_DESCRIPTIONS } from "../../domain/access/GrantDescriptions.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { AGENT_DAYS, Consents } from "../../domain/oauth/Consents.ts"
import { AskedAgain, type Consenting } from "./Consenting.ts"
import { type Html, html } from "./Html.ts"

/** Chosen before anybody chooses. */
const USUAL_DAYS = 30

const FOREVER = "forever"

const scopeRow = (scope: Scope) => {
  const { text, title, warning } = GRANT_DESCRIPTIONS[scope]
  return html`
    <li>
      <label class="choice" for="${scope}">
        <input type="checkbox" id="${scope}" name="${scope}" value="on" checked aria-describedby="${scope}-text" />
        ${title}
      </label>
      <div id="${scope}-text">
        <p>${text}</p>
        ${warning === undefined ? undefined : html`<p class="warning">${warning}</p>`}
      </div>
    </li>
  `
}

const daysOption = (days: number) => html`
  <option value="${String(days)}" ${days === USUAL_DAYS ? html`selected` : undefined}>
    ${days === 1 ? "One day" : `${days} days`}
  </option>
`

const terms = (scopes: ReadonlyArray<Scope>): Html => html`
  <p>An agent is a program that decides by itself what it does, by what people tell it and by what it reads.</p>
  <h2>It will be able to see the store itself, and to</h2>
  <ul class="rows">
    ${scopes.map(scopeRow)}
  </ul>
  <h2>Within these bounds</h2>
  <label class="choice" for="proposals">
    <input type="checkbox" id="proposals" name="proposals" value="on" aria-describedby="proposals-text" />
    Only propose
  </label>
  <p class="quiet" id="proposals-text">Whatever it wants to change waits until a member of the store approves it.</p>
  <label for="budget">Changes a day, at most</label>
  <input id="budget" name="budget" value="${String(BUDGET.usual)}" inputmode="numeric" autocomplete="off" required />
  <label for="days">For how long</label>
  <select id="days" name="days">
    ${AGENT_DAYS.map(daysOption)}
    <option value="${FOREVER}">Until somebody ends it</option>
  </select>
`

/** The library reads blank text as 0. */
const Typed = Schema.String.check(Schema.isPattern(/\S/)).pipe(Schema.decodeTo(Schema.NumberFromString))

const Budget = Typed.pipe(
  Schema.check(Schema.isInt()),
  Schema.check(Schema.isBetween({ minimum: 0, maximum: BUDGET.most }))
)
const Days = Schema.Union([
  Schema.Literal(FOREVER).pipe(
    Schema.decodeTo(Schema.Null, SchemaTransformation.transform({ decode: () => null, encode: () => FOREVER }))
  ),
  Typed.pipe(Schema.decodeTo(Schema.Literals([...AGENT_DAYS])))
])

const BAD_BUDGET = new AskedAgain({ reason: `Changes a day must be a whole number from 0 to ${BUDGET.most}` })
const BAD_DAYS = new AskedAgain({ reason: "Choose for how long" })

/** The agent that the merchant wants: no more than was asked for. */
const agentIn = (form: URLSearchParams, name: string, asked: ReadonlyArray<Scope>) =>
  Result.gen(function* () {
    const isTicked = (field: string) => form.get(field) === "on"
    const budget = yield* Result.mapError(Schema.decodeUnknownResult(Budget)(form.get("budget")), () => BAD_BUDGET)
    const days = yield* Result.mapError(Schema.decodeUnknownResult(Days)(form.get("days")), () => BAD_DAYS)
    return { name, scopes: asked.filter(isTicked), budget, proposalsOnly: isTicked("proposals"), days }
  })

/** How clients of agents are consented to: the merchant says what the agent may do of what is asked, and for how long. */
export const makeAgentConsent = Effect.map(
  Consents,
  (consents) =>
    ({ name }: Client, scopes: ReadonlyArray<Scope>): Consenting => ({
      ask: ({ storeName }) =>
        Effect.succeed({
          heading: html`<bdi>${name}</bdi> asks for an agent in <bdi>${storeName}</bdi>`,
          terms: terms(scopes)
        }),
      agree: (consent, form) =>
        Effect.flatMap(Effect.fromResult(agentIn(form, name, scopes)), (agent) =>
          consents.makeAgent(consent, agent)
        ).pipe(
          Effect.catchTags({
            AgentLimitReached: ({ message }) => new AskedAgain({ reason: message }),
            UnknownClient: ({ message }) => new AskedAgain({ reason: message })
          })
        )
    })
)
