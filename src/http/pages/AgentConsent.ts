import { Effect, Result, Schema, SchemaTransformation } from "effect"
import { BUDGET, MAX_AGENTS } from "../../domain/access/Agents.ts"
import type { Scope } from "../../domain/access/Scope.ts"
import type { Client } from "../../domain/oauth/Clients.ts"
import { AGENT_DAYS, Consents } from "../../domain/oauth/Consents.ts"
import { ConsentFormRejected, type ConsentStrategy } from "./ConsentStrategy.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { type Html, html } from "./Html.ts"

/** The preselected duration. */
const DEFAULT_DAYS = 30

const FOREVER = "forever"

const scopeRow = ({ descriptions: { grants } }: ConsentTexts, scope: Scope) => {
  const { text, title, warning } = grants[scope]
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

const daysOption = ({ agent: texts }: ConsentTexts, days: number) => html`
  <option value="${String(days)}" ${days === DEFAULT_DAYS ? html`selected` : undefined}>${texts.days(days)}</option>
`

const agentTerms = (pageTexts: ConsentTexts, scopes: ReadonlyArray<Scope>): Html => {
  const texts = pageTexts.agent
  return html`
    <p>${texts.explanation}</p>
    <h2>${texts.permissions}</h2>
    <ul class="rows">
      ${scopes.map((scope) => scopeRow(pageTexts, scope))}
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
      ${AGENT_DAYS.map((days) => daysOption(pageTexts, days))}
      <option value="${FOREVER}">${texts.untilRevoked}</option>
    </select>
  `
}

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

const refuse = (reason: string) => () => new ConsentFormRejected({ reason })

/** Decodes the agent of the form. Its scopes are a subset of the requested ones. */
const decodeAgent = (
  { agent: texts }: ConsentTexts,
  form: URLSearchParams,
  name: string,
  requested: ReadonlyArray<Scope>
) =>
  Result.gen(function* () {
    const isChecked = (field: string) => form.get(field) === "on"
    const budget = yield* Result.mapError(
      Schema.decodeUnknownResult(Budget)(form.get("budget")),
      refuse(texts.invalidBudget(BUDGET.most))
    )
    const days = yield* Result.mapError(
      Schema.decodeUnknownResult(Days)(form.get("days")),
      refuse(texts.invalidDuration)
    )
    return { name, scopes: requested.filter(isChecked), budget, proposalsOnly: isChecked("proposals"), days }
  })

/** Makes the consent to agent clients. The merchant selects scopes, limits and duration. */
export const makeAgentConsent = Effect.map(
  Consents,
  (consents) =>
    (texts: ConsentTexts, { name }: Client, scopes: ReadonlyArray<Scope>): ConsentStrategy => ({
      ask: ({ storeName }) =>
        Effect.succeed({
          heading: texts.agent.requestsAccess(name, storeName),
          terms: agentTerms(texts, scopes)
        }),
      agree: (consent, form) =>
        Effect.flatMap(Effect.fromResult(decodeAgent(texts, form, name, scopes)), (agent) =>
          consents.makeAgent(consent, agent)
        ).pipe(
          Effect.catchTags({
            AgentLimitReached: () => new ConsentFormRejected({ reason: texts.agent.limitReached(MAX_AGENTS) }),
            UnknownClient: () => new ConsentFormRejected({ reason: texts.agent.unknownClient })
          })
        )
    })
)
