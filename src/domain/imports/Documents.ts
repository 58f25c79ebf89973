import { Schema } from "effect"
import { storedDocument } from "../json/StoredDocument.ts"
import { CsvRecord, ImportRow, ImportSettings } from "./ImportFile.ts"

/** Stored form of the settings of an import. */
export const ImportSettingsDocument = storedDocument(ImportSettings)

/** Stored form of a row of a file. */
export const ImportRowDocument = storedDocument(ImportRow)

/** Stored form of records that stand apart from the row of their product. */
export const RecordsDocument = storedDocument(Schema.Array(CsvRecord))
