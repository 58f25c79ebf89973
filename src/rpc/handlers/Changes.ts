import { Effect, Record, Stream } from "effect"
import { AgentScopeMissing } from "../../domain/access/Agents.ts"
import { Changes, READ_SCOPES } from "../../domain/journal/Changes.ts"
import { followChanges, type Streams } from "../Changes.ts"
import { Principal } from "../Principal.ts"
import { type StreamsOf, streamInStore } from "./Streams.ts"

/** What a principal is told of. */
const readableBy = Principal.$match({
  Merchant: () => Record.keys(READ_SCOPES),
  Agent: ({ scopes }) => Record.keys(READ_SCOPES).filter((resource) => scopes.includes(READ_SCOPES[resource]))
})

export const makeChangeStreams = Effect.map(Changes, ({ follow }): StreamsOf<typeof Streams> => ({
  "changes.follow": streamInStore(followChanges, ({ after, storeId }, principal) => {
    const readable = readableBy(principal)
    return readable.length === 0
      ? Stream.fail(new AgentScopeMissing({ scope: READ_SCOPES.product }))
      : follow(storeId, after, readable)
  })
}))
