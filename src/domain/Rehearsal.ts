import { Schema } from "effect"
import { InstallationId } from "./access/Installations.ts"
import { CollectionId } from "./catalog/Collection.ts"
import { EventKind } from "./Events.ts"
import { Uuid } from "./Uuid.ts"

/** Of what an answer lists, as many are named. How many there are in all, the answer says. */
export const MAX_NAMED = 1_000

const Named = Schema.Array(Schema.Struct({ id: Schema.typeSchema(CollectionId), title: Schema.String }))

/** What a rehearsal says beside the resource as the write would answer it. */
export const rehearsed = {
  dryRun: Schema.Literal(true).annotations({ description: "Nothing was written" }),
  events: Schema.Array(
    Schema.Struct({
      kind: EventKind,
      resourceId: Schema.typeSchema(Uuid),
      version: Schema.Int,
      recipients: Schema.Array(
        Schema.Struct({ installationId: Schema.typeSchema(InstallationId), appName: Schema.String })
      ).annotations({ description: `The installations that would be told, at most ${MAX_NAMED} of them` })
    })
  ).annotations({ description: "The events that the write would send" }),
  collections: Schema.NullOr(
    Schema.Struct({
      entersCount: Schema.NonNegativeInt,
      leavesCount: Schema.NonNegativeInt,
      enters: Named.annotations({
        description: `The collections that the product would enter, the first ${MAX_NAMED} of them`
      }),
      leaves: Named.annotations({
        description: `The collections that the product would leave, the first ${MAX_NAMED} of them`
      })
    })
  ).annotations({
    description:
      "What the write would change of the collections that hold the product. Null where it does not change one product, or the rules of the store take longer than a second to be applied to it"
  })
}

const Rehearsal = Schema.Struct(rehearsed)

/** What a write would lead to. */
export type Rehearsal = typeof Rehearsal.Type
