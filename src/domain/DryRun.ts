import { Schema } from "effect"
import { InstallationId } from "./access/Ids.ts"
import { CollectionId } from "./catalog/Collection.ts"
import { StoredEventKind } from "./Events.ts"
import { Uuid } from "./Uuid.ts"

/** Maximum number of named items in each list of a dry run. Counts include the items that are not named. */
export const MAX_DRY_RUN_ITEMS = 1_000

const Named = Schema.Array(Schema.Struct({ id: Schema.toType(CollectionId), title: Schema.String }))

/** Fields of a dry-run result in addition to the resource. */
export const dryRunFields = {
  dryRun: Schema.Literal(true).annotate({ description: "Nothing was written" }),
  events: Schema.Array(
    Schema.Struct({
      kind: StoredEventKind,
      resourceId: Schema.toType(Uuid),
      version: Schema.Int,
      recipients: Schema.Array(
        Schema.Struct({ installationId: Schema.toType(InstallationId), appName: Schema.String })
      ).annotate({ description: `Installations that would receive the event, at most ${MAX_DRY_RUN_ITEMS}` })
    })
  ).annotate({ description: "Events that the write would send" }),
  collections: Schema.NullOr(
    Schema.Struct({
      entersCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
      leavesCount: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
      enters: Named.annotate({
        description: `Collections that the product would enter, the first ${MAX_DRY_RUN_ITEMS}`
      }),
      leaves: Named.annotate({
        description: `Collections that the product would leave, the first ${MAX_DRY_RUN_ITEMS}`
      })
    })
  ).annotate({
    description:
      "Changes to the collections that contain the product. Null if the write does not change a single product, or if applying the rules of the store takes longer than one second"
  })
}

const DryRunResult = Schema.Struct(dryRunFields)

/** Effects that a write would have. */
export type DryRunResult = typeof DryRunResult.Type
