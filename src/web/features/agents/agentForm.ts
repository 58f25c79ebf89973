import { Result, Schema, Struct } from "effect"
import { type Agent, BUDGET, NewAgent, WINDOW } from "../../../domain/access/Agents.ts"
import { Scope } from "../../../domain/access/Scope.ts"
import { decodeWith } from "../../../domain/json/Decoder.ts"
import { fieldProblemsOf } from "../../shared/data/errorMessages.ts"
import { numberText, parseWhole } from "../../shared/data/typedNumbers.ts"
import { agentTexts } from "./agentTexts.ts"

/** Form values of an agent, as typed. */
export interface AgentFormValues {
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  readonly budget: string
  readonly window: string
  readonly proposalsOnly: boolean
}

/** Safe defaults: read permissions and required approval. */
export const EMPTY_FORM: AgentFormValues = {
  name: "",
  scopes: ["read_products", "read_collections"],
  budget: numberText(BUDGET.usual),
  window: numberText(WINDOW.usual),
  proposalsOnly: true
}

/** Form values of an existing agent. */
export const formOf = ({ budget, name, proposalsOnly, scopes, window }: typeof Agent.Type): AgentFormValues => ({
  name,
  scopes,
  budget: numberText(budget),
  window: numberText(window),
  proposalsOnly
})

/** Validation messages by field. */
type AgentFormProblems = { readonly [Field in keyof AgentFormValues]?: string }

const { budget, proposalsOnly, window } = NewAgent.fields
const optional = Struct.map({ budget, proposalsOnly, window }, Schema.requiredKey)
const decode = decodeWith(NewAgent.pipe(Schema.fieldsAssign(optional)))

/** Validates the form. */
export const parseAgent = (form: AgentFormValues): Result.Result<Required<NewAgent>, AgentFormProblems> => {
  if (form.scopes.length === 0) return Result.fail({ scopes: agentTexts.form.noPermissions })
  const [budget, window] = [parseWhole(form.budget), parseWhole(form.window)]
  return Result.mapError(
    decode({ ...form, budget: Result.getOrUndefined(budget), window: Result.getOrUndefined(window) }, false),
    (error): AgentFormProblems => ({
      ...fieldProblemsOf(error),
      // A value that cannot be parsed is missing for the schema, whose message is less specific.
      ...(Result.isFailure(budget) ? { budget: budget.failure } : {}),
      ...(Result.isFailure(window) ? { window: window.failure } : {})
    })
  )
}

/** Adds or removes a scope. Keeps the order of the scope list. */
export const withScope = (scopes: ReadonlyArray<Scope>, scope: Scope, isChosen: boolean): ReadonlyArray<Scope> =>
  Scope.literals.filter((one) => (one === scope ? isChosen : scopes.includes(one)))

/** Configuration of an MCP client for this agent. */
export const clientConfiguration = (origin: string, token: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        "my-store": { type: "http", url: `${origin}/mcp`, headers: { Authorization: `Bearer ${token}` } }
      }
    },
    undefined,
    2
  )

type AgentStatus = "active" | "revoked" | "ended"

export const agentStatusOf = ({ endsAt, revokedAt }: typeof Agent.Type, now: number): AgentStatus => {
  if (revokedAt !== null) return "revoked"
  return endsAt !== null && new Date(endsAt).getTime() <= now ? "ended" : "active"
}
