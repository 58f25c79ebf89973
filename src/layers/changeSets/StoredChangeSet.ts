import { Schema } from "effect"
import { ChangeSetId, ChangeSetMode, ChangeSetState, OnConflict, Selection } from "../../domain/changeSets/ChangeSet.ts"
import { Edit } from "../../domain/changeSets/Edit.ts"
import { EventId } from "../../domain/Events.ts"
import { ImportSettings } from "../../domain/imports/ImportFile.ts"
import { ActorType, EntrySurface } from "../../domain/journal/Activity.ts"
import { sql as fragment } from "../sql/Statement.ts"

/** Change set as jobs and writes use it. */
export const StoredChangeSet = Schema.Struct({
  id: Schema.toType(ChangeSetId),
  state: ChangeSetState,
  mode: ChangeSetMode,
  note: Schema.NullOr(Schema.String),
  actorType: ActorType,
  actorId: Schema.String,
  approvedBy: Schema.NullOr(Schema.String),
  surface: EntrySurface,
  requestId: Schema.NullOr(Schema.String),
  cause: Schema.NullOr(Schema.toType(EventId)),
  import: Schema.NullOr(ImportSettings),
  selection: Schema.NullOr(Schema.toType(Selection)),
  change: Schema.NullOr(Schema.toType(Edit)),
  undoes: Schema.NullOr(Schema.toType(ChangeSetId)),
  scopes: Schema.Array(Schema.String),
  applyAt: Schema.NullOr(Schema.Date),
  onConflict: OnConflict,
  total: Schema.Int,
  done: Schema.Int,
  created: Schema.Int,
  changed: Schema.Int,
  refused: Schema.Int,
  preview: Schema.NullOr(Schema.Unknown)
})
export type StoredChangeSet = typeof StoredChangeSet.Type

/** Columns of {@link StoredChangeSet}. */
export const columns = fragment.literal(`
  id, state, mode, note, actor_type as "actorType", actor_id as "actorId", approved_by as "approvedBy", surface,
  request_id as "requestId", cause, import, selection, change, undoes, scopes, apply_at as "applyAt", on_conflict as "onConflict",
  total, done, created, changed, refused, preview
`)

/** Values of a new change set. */
export interface NewStored {
  readonly id: ChangeSetId
  readonly mode: ChangeSetMode
  readonly note: string | null
  readonly applyAt: string | null
  readonly import: ImportSettings | null
  readonly selection: Selection | null
  readonly change: Edit | null
  readonly undoes: ChangeSetId | null
  readonly scopes: ReadonlyArray<string>
  /** Number of operations, or -1 if they are not known yet. */
  readonly total: number
}
