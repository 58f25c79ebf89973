import { Effect, Stream } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { Changes } from "../../domain/journal/Changes.ts"
import { CatalogKind, SCOPES } from "../../domain/journal/Kinds.ts"
import { followChanges, type Streams } from "../Changes.ts"
import { Principal } from "../Principal.ts"
import { type StreamsOf, streamInStore } from "./Streams.ts"

/** What a principal is told of. */
const readableBy = Principal.$match({
  Merchant: () => CatalogKind.literals,
  Agent: ({ scopes }) => CatalogKind.literals.filter((kind) => scopes.includes(SCOPES[kind].read))
})

export const makeChangeStreams = Effect.map(Changes, ({ follow }): StreamsOf<typeof Streams> => ({
  "changes.follow": streamInStore(followChanges, ({ after, storeId }, principal) => {
    const readable = readableBy(principal)
    return readable.length === 0
      ? Stream.fail(new AgentScopeMissing({ scope: SCOPES.product.read }))
      : follow(storeId, after, readable)
  })
}))
