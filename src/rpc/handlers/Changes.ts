import { Context, Effect, Stream } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { decodeWith } from "../../domain/json/Decoder.ts"
import { Changes } from "../../domain/journal/Changes.ts"
import { CatalogKind, CATALOG_KINDS } from "../../domain/journal/Kinds.ts"
import { followChanges } from "../groups/Changes.ts"
import { AccessPolicy } from "../Annotations.ts"
import { CurrentPrincipal, Principal } from "../Principal.ts"
import { ServedStreams } from "../server/ServedRpcs.ts"
import { authorizePayload } from "./Authorization.ts"

/** Returns the kinds of resources that a principal may read. */
const readableKindsOf = Principal.$match({
  Merchant: () => CatalogKind.literals,
  Agent: ({ scopes }) => CatalogKind.literals.filter((kind) => scopes.includes(CATALOG_KINDS[kind].scopes.read))
})

export const StreamHandlers = ServedStreams.toLayer(
  Effect.gen(function* () {
    const { follow } = yield* Changes
    const decode = decodeWith(followChanges.payloadSchema)
    const policy = Context.get(followChanges.annotations, AccessPolicy)

    return ServedStreams.of({
      "changes.follow": (json) =>
        Stream.unwrap(
          Effect.gen(function* () {
            yield* authorizePayload(json, policy)
            const { after, storeId } = yield* Effect.fromResult(decode(json, true))
            const readableKinds = readableKindsOf(yield* CurrentPrincipal)
            if (readableKinds.length === 0)
              return yield* new AgentScopeMissing({ scope: CATALOG_KINDS.product.scopes.read })
            return follow(storeId, after, readableKinds)
          })
        )
    })
  })
)
