import type { Resource as Definition } from "@modelcontextprotocol/server"
import { Effect, Schema } from "effect"
import { LANGUAGE } from "../../domain/catalog/Rule.ts"
import { removeInvisible } from "../../domain/InvisibleCharacters.ts"
import type { JsonText } from "../../domain/json/Document.ts"
import type { Agent } from "../Principal.ts"
import { getStore } from "../groups/Stores.ts"
import type { ExecuteCall } from "../server/InProcessCalls.ts"
import { markAsData, removedRemark } from "./Results.ts"

/** An MCP resource. */
export interface Resource {
  readonly definition: Definition
  /** Fails with the JSON of a declared error. */
  readonly read: (agent: Agent, requestId: string) => Effect.Effect<string, JsonText>
}

const RULES = `Rules of automated collections. A rule is { "field", "relation", "value" }: a product field, a comparison and a value. A collection contains the products that satisfy every rule, or any rule if it is \`disjunctive\`. Without rules it is empty. Text comparisons ignore case. \`in\` and \`not_in\` take a list as value, \`is_set\` and \`is_not_set\` none. A product without a value satisfies only the negated relations. Rules on \`tags\` and \`variant.*\` hold if any of the values satisfies them.

Example: { "field": "price", "relation": "less_than", "value": 500 }

${LANGUAGE}

Fast, because they use an index: \`tags\`, \`vendorName\`, \`productType\` or a category with \`equals\` or \`in\`.`

const decodeFacts = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

/** Creates the resources: the store as in `store.get`, and the language of rules. */
export const makeResources = (executeCall: ExecuteCall): ReadonlyArray<Resource> => [
  {
    definition: {
      uri: "store://facts",
      name: "facts",
      title: "The store",
      description: "Facts about the store: name, language, time zone, currency, unit of weight, plan",
      mimeType: "text/plain"
    },
    // Marked, because merchants choose the name.
    read: (agent, requestId) =>
      Effect.map(
        executeCall({
          tag: getStore._tag,
          payload: { storeId: agent.storeId },
          principal: agent,
          origin: { surface: "mcp", requestId }
        }),
        (json) => {
          const { removed, visible } = removeInvisible(decodeFacts(json))
          return markAsData(JSON.stringify(visible), removedRemark(removed))
        }
      )
  },
  {
    definition: {
      uri: "store://rules",
      name: "rules",
      title: "Rules of automated collections",
      description: "Product fields that rules can compare, with their relations and values",
      mimeType: "text/markdown"
    },
    read: () => Effect.succeed(RULES)
  }
]
