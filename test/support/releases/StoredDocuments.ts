import * as catalog from "../../../src/domain/catalog/Documents.ts"
import { OperationDocument } from "../../../src/domain/changeSets/StoredOperation.ts"
import { ImportRowDocument, ImportSettingsDocument, RecordsDocument } from "../../../src/domain/imports/Documents.ts"
import type { StoredDocument } from "../../../src/domain/json/StoredDocument.ts"
import { CustomerDocument, OrderDocument } from "../../../src/domain/records/Documents.ts"
import { PayloadDocument } from "../../../src/layers/access/Proposals.ts"
import { SumsDocument } from "../../../src/layers/changeSets/PreviewSummary.ts"
import { EditDocument, SelectionDocument } from "../../../src/layers/changeSets/StoredChangeSet.ts"
import { CredentialsDocument } from "../../../src/layers/demo/Demo.ts"
import { ContentDocument } from "../../../src/layers/exports/ExportRepository.ts"
import { MembershipsDocument } from "../../../src/layers/journal/JournalRow.ts"
import * as clusterBackup from "../../../src/layers/postgres/BackupFiles.ts"
import { ViewDocument } from "../../../src/layers/views/Views.ts"
import * as storeBackup from "../../../src/layers/storeBackup/BackupStream.ts"

/** All stored documents by the names that `documents.json` of releases has. A name never changes. */
export const STORED_DOCUMENTS: Readonly<Record<string, Pick<StoredDocument<never>, "required" | "members">>> = {
  product: catalog.ProductDocument,
  collection: catalog.CollectionDocument,
  collectionContents: catalog.CollectionContents,
  order: OrderDocument,
  customer: CustomerDocument,
  view: ViewDocument,
  proposalPayload: PayloadDocument,
  operation: OperationDocument,
  selection: SelectionDocument,
  edit: EditDocument,
  previewSums: SumsDocument,
  importSettings: ImportSettingsDocument,
  importRow: ImportRowDocument,
  shopifyRecords: RecordsDocument,
  exportContent: ContentDocument,
  memberships: MembershipsDocument,
  demoCredentials: CredentialsDocument,
  clusterBackupManifest: clusterBackup.ManifestDocument,
  storeBackupFormat: storeBackup.FormatDocument,
  storeBackupManifest: storeBackup.ManifestDocument,
  storeBackupHeader: storeBackup.HeaderDocument
}
