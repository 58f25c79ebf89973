import { Effect, Result, Schema, SchemaTransformation } from "effect"
import { BUDGET } from "../../domain/access/Agents.ts"
import { GRANT_DESCRIPTIONS } from "../../domain/access/GrantDescriptions.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { AGENT_DAYS, Consents } from "../../domain/oauth/Consents.ts"
import { ConsentFormRejected, type ConsentStrategy } from "./ConsentStrategy.ts"
import { consentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"

const texts = consentTexts.agent

/** The preselected duration. */
const DEFAULT_DAYS = 30

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
  <option value="${String(days)}" ${days === DEFAULT_DAYS ? html`selected` : undefined}>${texts.days(days)}</option>
`

const agentTerms = (scopes: ReadonlyArray<Scope>): Html => html`
  <p>${texts.explanation}</p>
  <h2>${texts.permissions}</h2>
  <ul class="rows">
    ${scopes.map(scopeRow)}
  </ul>
  <h2>${texts.limits}</h2>
  <label class="choice" for="proposals">
    <input type="checkbox" id="proposals" name="proposals" value="on" aria-describedby="proposals-text" />
    ${texts.requireApproval}
  </label>
  <p class="quiet" id="proposals-text">${texts.requireApprovalHint}</p>
  <label for="budget">${texts.budget}</label>
  <input id="budget" name="budget" value="${String(BUDGET.usual)}" inputmode="numeric" autocomplete="off" required />
  <label for="days">${texts.duration}</label>
  <select id="days" name="days">
    ${AGENT_DAYS.map(daysOption)}
    <option value="${FOREVER}">${texts.untilRevoked}</option>
  </select>
`

/** A number in a form. The library decodes blank text as 0. */
const FormNumber = Schema.String.check(Schema.isPattern(/\S/)).pipe(Schema.decodeTo(Schema.NumberFromString))

const Budget = FormNumber.pipe(
  Schema.check(Schema.isInt()),
  Schema.check(Schema.isBetween({ minimum: 0, maximum: BUDGET.most }))
)
const Days = Schema.Union([
  Schema.Literal(FOREVER).pipe(
    Schema.decodeTo(Schema.Null, SchemaTransformation.transform({ decode: () => null, encode: () => FOREVER }))
  ),
  FormNumber.pipe(Schema.decodeTo(Schema.Literals([...AGENT_DAYS])))
])

const BAD_BUDGET = new ConsentFormRejected({ reason: texts.invalidBudget(BUDGET.most) })
const BAD_DAYS = new ConsentFormRejected({ reason: texts.invalidDuration })

/** Decodes the agent of the form. Its scopes are a subset of the requested ones. */
const decodeAgent = (form: URLSearchParams, name: string, requested: ReadonlyArray<Scope>) =>
  Result.gen(function* () {
    const isChecked = (field: string) => form.get(field) === "on"
    const budget = yield* Result.mapError(Schema.decodeUnknownResult(Budget)(form.get("budget")), () => BAD_BUDGET)
    const days = yield* Result.mapError(Schema.decodeUnknownResult(Days)(form.get("days")), () => BAD_DAYS)
    return { name, scopes: requested.filter(isChecked), budget, proposalsOnly: isChecked("proposals"), days }
  })

/** Makes the consent to agent clients. The merchant selects scopes, limits and duration. */
export const makeAgentConsent = Effect.map(
  Consents,
  (consents) =>
    ({ name }: Client, scopes: ReadonlyArray<Scope>): ConsentStrategy => ({
      ask: ({ storeName }) =>
        Effect.succeed({
          heading: texts.requestsAccess(name, storeName),
          terms: agentTerms(scopes)
        }),
      agree: (consent, form) =>
        Effect.flatMap(Effect.fromResult(decodeAgent(form, name, scopes)), (agent) =>
          consents.makeAgent(consent, agent)
        ).pipe(
          Effect.catchTags({
            AgentLimitReached: ({ message }) => new ConsentFormRejected({ reason: message }),
            UnknownClient: ({ message }) => new ConsentFormRejected({ reason: message })
          })
        )
    })
)
