import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"
import { withDescription } from "../../domain/catalog/Fields.ts"
import {
  Export,
  exportContent,
  ExportId,
  ExportNotFinished,
  ExportNotFound,
  ExportPart,
  TooManyExports
} from "../../domain/exports/Export.ts"
import { Authentication } from "../Authentication.ts"
import { Deleted, integerBetween, keyedFields, Page, pageFields, storeFields, WriteError } from "./CommonSchemas.ts"

/* Exports of a store. They hold personal data, so agents have no access. */

const exportFields = { ...storeFields, id: withDescription(ExportId, "Id of the export") }

/** Maximum of an `integer` of PostgreSQL. */
const MAX_PART = 2_147_483_647

/** Creates an export of the rows of a kind, or of those that match the filter of its list, and starts it. Members only. */
export const createExport = Rpc.make("exports.create", {
  payload: exportContent(keyedFields),
  success: Export,
  error: Schema.Union([WriteError, TooManyExports])
})

/** Lists exports, newest first, also those of operators. Members only. */
export const listExports = Rpc.make("exports.list", { payload: pageFields(ExportId), success: Page(Export, ExportId) })

/** Reads the state and progress of an export. Members only. */
export const getExport = Rpc.make("exports.get", { payload: exportFields, success: Export, error: ExportNotFound })

/** Reads a part of the file of a finished export. Members only. */
export const readExport = Rpc.make("exports.read", {
  payload: { ...exportFields, part: integerBetween(0, MAX_PART, "0, then `nextPart` of the previous part") },
  success: ExportPart,
  error: Schema.Union([ExportNotFound, ExportNotFinished])
})

/** Stops an export after its current part, and does not change an ended one. Takes no key. Members only. */
export const cancelExport = Rpc.make("exports.cancel", {
  payload: exportFields,
  success: Export,
  error: ExportNotFound
})

/** Deletes an export with its file, and stops it if it runs. Takes no key. Members only. */
export const deleteExport = Rpc.make("exports.delete", { payload: exportFields, success: Deleted(ExportId) })

/** Exports of a store, for its members. */
export class ExportRpcs extends RpcGroup.make(
  createExport,
  listExports,
  getExport,
  readExport,
  cancelExport,
  deleteExport
).middleware(Authentication) {}
