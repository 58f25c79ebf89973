import type { Resource as Definition } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { LANGUAGE } from "../../domain/catalog/Rule.ts"
import type { JsonText } from "../../domain/Document.ts"
import type { Agent } from "../Principal.ts"
import { getStore } from "../groups/Stores.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import { markAsData } from "./Results.ts"

/** What there is to read beside the tools, without arguments. */
export interface Resource {
  readonly definition: Definition
  /** Fails with the JSON of an error that may go out. */
  readonly read: (agent: Agent, requestId: string) => Effect.Effect<string, JsonText>
}

const RULES = `The rules of automated collections. A rule is { "field", "relation", "value" }: a field of products, how it is compared, and with what. A collection holds the products that satisfy every rule, or any rule if it is \`disjunctive\`; no rules match nothing. Text is compared whatever its case. \`in\` and \`not_in\` take a list as value, \`is_set\` and \`is_not_set\` none. A product that has no value satisfies only the negated relations. \`tags\` and \`variant.*\` hold when any of their values does.

${LANGUAGE}

Fast, as an index answers it: \`tags\`, \`vendorName\`, \`productType\` or a category with \`equals\` or \`in\`.`

/** The store as `store.get` returns it, and the language of rules. */
export const makeResources = (executeCall: ExecuteCall): ReadonlyArray<Resource> => [
  {
    definition: {
      uri: "store://facts",
      name: "facts",
      title: "The store",
      description: "What the store is: its name, language, time zone, currency, unit of weight, plan",
      mimeType: "text/plain"
    },
    // Merchants chose the name.
    read: (agent, requestId) =>
      Effect.map(
        executeCall({
          tag: getStore._tag,
          payload: { storeId: agent.storeId },
          principal: agent,
          origin: { surface: "mcp", requestId }
        }),
        markAsData
      )
  },
  {
    definition: {
      uri: "store://rules",
      name: "rules",
      title: "Rules of automated collections",
      description: "Which fields of products a rule may ask about, with which relations and values",
      mimeType: "text/markdown"
    },
    read: () => Effect.succeed(RULES)
  }
]
