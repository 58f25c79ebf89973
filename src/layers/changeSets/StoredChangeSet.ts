import { Schema } from "effect"
import {
  ChangeSetId,
  ChangeSetMode,
  ChangeSetState,
  MAX_IMAGE_FAILURES,
  OnConflict,
  Selection
} from "../../domain/changeSets/ChangeSet.ts"
import { Edit } from "../../domain/changeSets/Edit.ts"
import { EventId } from "../../domain/Events.ts"
import { ImportSettingsDocument } from "../../domain/imports/Documents.ts"
import type { ImportSettings } from "../../domain/imports/ImportFile.ts"
import { ActorType, EntrySurface } from "../../domain/journal/Activity.ts"
import { storedDocument } from "../../domain/json/StoredDocument.ts"
import { StoredColumn } from "../sql/Documents.ts"
import { sql as fragment } from "../sql/Statement.ts"
import { time } from "../sql/Times.ts"

/** Stored forms of what a set selects and changes. */
export const SelectionDocument = storedDocument(Selection)
export const EditDocument = storedDocument(Edit)

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
  import: Schema.NullOr(StoredColumn(ImportSettingsDocument)),
  selection: Schema.NullOr(StoredColumn(SelectionDocument)),
  change: Schema.NullOr(StoredColumn(EditDocument)),
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

/** Document of a change set `s`, as clients see it. Previews of the previous release have no `fields`. */
export const changeSetJson = fragment`
  json_build_object(
    'id', s.id, 'state', s.state, 'mode', s.mode, 'note', s.note, 'where', s.selection, 'change', s.change,
    'import', case when s.import is not null then json_strip_nulls(json_build_object(
      'kind', s.import ->> 'kind', 'created', s.created, 'updated', s.changed - s.created,
      'images', case when s.import ->> 'imageOrigin' is not null then json_build_object(
        'copied', s.images_copied, 'failed', s.images_failed, 'failures', (
          select coalesce(json_agg(json_build_object('url', url, 'reason', reason)), '[]') from (
            select url, reason from import_image_failures f where f.store_id = s.store_id and f.change_set_id = s.id
            order by digest limit ${fragment.literal(String(MAX_IMAGE_FAILURES))}
          ) as failures
        )
      ) end
    )) end,
    'counts', json_build_object(
      'total', greatest(s.total, 0), 'changed', s.changed, 'unchanged', s.unchanged, 'refused', s.refused
    ),
    'progress', json_build_object('done', s.done, 'total', greatest(s.total, 0)),
    'preview', case when s.previewed_at is not null then '{"fields":[]}'::jsonb || s.preview::jsonb end, 'undoes', s.undoes,
    'undoneBy', (
      select u.id from change_sets u where u.store_id = s.store_id and u.undoes = s.id and u.applied_at is not null
      order by u.id desc limit 1
    ),
    'actor', json_build_object('type', s.actor_type, 'id', s.actor_id), 'approvedBy', s.approved_by,
    'onConflict', s.on_conflict, 'failure', s.failure, 'applyAt', ${time("s.apply_at")},
    'createdAt', ${time("s.created_at")}, 'previewedAt', ${time("s.previewed_at")},
    'appliedAt', ${time("s.applied_at")}, 'finishedAt', ${time("s.finished_at")}
  )::text
`

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
