import { Schema } from "effect"
import { InstallationId } from "./access/Installations.ts"
import { CollectionId } from "./catalog/Collection.ts"
import { EventKind } from "./Events.ts"
import { Uuid } from "./Uuid.ts"

/** Maximum number of named items in each list of a dry run. Counts include the items that are not named. */
export const MAX_NAMED = 1_000

const Named = Schema.Array(Schema.Struct({ id: Schema.toType(CollectionId), title: Schema.String }))

/** Fields of a dry-run result in addition to the resource. */
export const rehearsed = {
  dryRun: Schema.Literal(true).annotate({ description: "Nothing was written" }),
  events: Schema.Array(
    Schema.Struct({
      kind: EventKind,
      resourceId: Schema.toType(Uuid),
      version: Schema.Int,
      recipients: Schema.Array(
        Schema.Struct({ installationId: Schema.toType(InstallationId), appName: Schema.String })
      ).annotate({ description: `The installations that would be told, at most ${MAX_NAMED} of them` })
    })
  ).annotate({ description: "The events that the write would send" }),
  collections: Schema.NullOr(
    Schema.Struct({
      entersCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
      leavesCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
      enters: Named.annotate({
        description: `The collections that the product would enter, the first ${MAX_NAMED} of them`
      }),
      leaves: Named.annotate({
        description: `The collections that the product would leave, the first ${MAX_NAMED} of them`
      })
    })
  ).annotate({
    description:
      "What the write would change of the collections that hold the product. Null where it does not change one product, or the rules of the store take longer than a second to be applied to it"
  })
}

const Rehearsal = Schema.Struct(rehearsed)

/** Effects that a write would have. */
export type Rehearsal = typeof Rehearsal.Type
