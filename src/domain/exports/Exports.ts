import { Context, type Effect, type Stream } from "effect"
import type { DocumentPage } from "../json/Document.ts"
import type { PageRequest } from "../Page.ts"
import type { StoreId, StoreNotFound } from "../Store.ts"
import type {
  Export,
  ExportContent,
  ExportId,
  ExportNotFinished,
  ExportNotFound,
  ExportPart,
  TooManyExports
} from "./Export.ts"

/**
 * Exports the data of a store in a format that an import reads, as a job (docs/import.md). Each row has the fields of
 * the API and an `externalId`: the stored one, else its id. References also use external ids. Automated collections are
 * exported without products.
 */
export class Exports extends Context.Service<
  Exports,
  {
    /** Creates an export of the rows of a kind, or of those that match a filter, and starts its job. */
    readonly create: (store: StoreId, content: ExportContent) => Effect.Effect<Export, StoreNotFound | TooManyExports>
    readonly get: (store: StoreId, id: ExportId) => Effect.Effect<Export, ExportNotFound>
    /** Lists exports, newest first. */
    readonly list: (store: StoreId, page: PageRequest<ExportId>) => Effect.Effect<DocumentPage<ExportId>>
    /** Stops an export after its current part. Does not change an ended one. */
    readonly cancel: (store: StoreId, id: ExportId) => Effect.Effect<void, ExportNotFound>
    /** Reads a part of the file of a finished export, from 0. A part after the last one is empty. */
    readonly readPart: (
      store: StoreId,
      id: ExportId,
      part: number
    ) => Effect.Effect<ExportPart, ExportNotFound | ExportNotFinished>
    /** Reads the file of a finished export part by part: rows in ascending order of id, of one moment. */
    readonly read: (store: StoreId, id: ExportId) => Stream.Stream<string, ExportNotFound | ExportNotFinished>
    /** Deletes an export with its file, and stops it if it runs. Changes nothing if there is none. */
    readonly delete: (store: StoreId, id: ExportId) => Effect.Effect<void>
    /** Deletes an expired export. Returns how many it deleted. */
    readonly purge: Effect.Effect<number>
  }
>()("domain/Exports") {}
