import { Layer } from "effect"
import { AccessLive } from "./access/Access.ts"
import { AgentCreation } from "./access/AgentCreation.ts"
import { AppRepository } from "./access/AppRepository.ts"
import { Budget } from "./access/Budget.ts"
import { Passwords } from "./access/Passwords.ts"
import { RequestsLive } from "./access/Requests.ts"
import { SignInThrottle } from "./access/SignInThrottle.ts"
import { UninstalledDataPurge } from "./access/UninstalledDataPurge.ts"
import { BillingLive } from "./billing/Billing.ts"
import { Subscriptions } from "./billing/Subscriptions.ts"
import { BulkheadLive } from "./Bulkhead.ts"
import { CatalogLive } from "./catalog/Catalog.ts"
import { CollectionRepository } from "./catalog/CollectionRepository.ts"
import { ProductRepository } from "./catalog/ProductRepository.ts"
import { ProductWrites } from "./catalog/ProductWrites.ts"
import { SearchLive } from "./catalog/Search.ts"
import { SearchIndex } from "./catalog/SearchIndex.ts"
import { StoreAllocation } from "./catalog/StoreAllocation.ts"
import { Vocabulary } from "./catalog/Vocabulary.ts"
import { ChangeSetJobs } from "./changeSets/ChangeSetJobs.ts"
import { ChangeSetRepository } from "./changeSets/ChangeSetRepository.ts"
import { ChangeSetsLive } from "./changeSets/ChangeSets.ts"
import { FollowedChangeSets } from "./changeSets/FollowedChangeSets.ts"
import { OperationRepository } from "./changeSets/OperationRepository.ts"
import { Operations } from "./changeSets/Operations.ts"
import { ProductOperations } from "./changeSets/ProductOperations.ts"
import { Skus } from "./changeSets/Skus.ts"
import { ExportJobs } from "./exports/ExportJobs.ts"
import { ExportRepository } from "./exports/ExportRepository.ts"
import { ExportsLive } from "./exports/Exports.ts"
import { HealthLive } from "./Health.ts"
import { IdempotencyLive } from "./Idempotency.ts"
import { ExternalIds } from "./imports/ExternalIds.ts"
import { ImageCopies } from "./imports/ImageCopies.ts"
import { ImportFilesLive } from "./imports/ImportFiles.ts"
import { ImportSteps } from "./imports/ImportSteps.ts"
import { ImportsLive } from "./imports/Imports.ts"
import { ActivityLive } from "./journal/Activity.ts"
import { AdministeredChanges } from "./journal/Administered.ts"
import { ChangeFeedLive } from "./journal/ChangeFeed.ts"
import { ChangesLive } from "./journal/Changes.ts"
import { DigestsLive } from "./journal/Digest.ts"
import { FollowedStores } from "./journal/FollowedStores.ts"
import { JournalEntries, JournalLive } from "./journal/Journal.ts"
import { UndoLive } from "./journal/Undo.ts"
import { Jobs } from "./jobs/Jobs.ts"
import { FileRows } from "./media/FileRows.ts"
import { FilesLive } from "./media/Files.ts"
import { ImagesLive } from "./media/Images.ts"
import { ImageWorkers } from "./media/ImageWorkers.ts"
import { Objects } from "./media/Objects.ts"
import { ObjectStorageLive } from "./media/ObjectStorage.ts"
import { RemoteFilesLive } from "./media/RemoteFiles.ts"
import { OauthLive } from "./oauth/Oauth.ts"
import { Revocation } from "./oauth/Revocation.ts"
import { TokenExchange } from "./oauth/TokenExchange.ts"
import { AppDataLive } from "./records/AppData.ts"
import { RateLimitLive } from "./rateLimit/RateLimit.ts"
import { CustomersLive } from "./records/Customers.ts"
import { LimitsLive } from "./LimitSettings.ts"
import { PacingLive } from "./Pacing.ts"
import { ReadsLive } from "./Reads.ts"
import { OrdersLive } from "./records/Orders.ts"
import { RecordRepository } from "./records/Records.ts"
import { ViewsLive } from "./views/Views.ts"
import { UnitOfWork } from "./sql/UnitOfWork.ts"
import { DeliveryLog } from "./webhooks/DeliveryLog.ts"
import { Outbox } from "./webhooks/Outbox.ts"
import { SecretKeys } from "./webhooks/SecretKeys.ts"
import { StoreWebhooksLive } from "./webhooks/StoreWebhooks.ts"
import { WebhookRepository } from "./webhooks/WebhookRepository.ts"
import { WebhooksLive } from "./webhooks/Webhooks.ts"
import { Recording, WritesLive } from "./Writes.ts"

/** Repositories and the other services that layers of the domain share. Each exists once. */
export const RepositoriesLive = Layer.mergeAll(
  AgentCreation.layer,
  FollowedChangeSets.layer,
  Recording.layer,
  Subscriptions.layer,
  WebhookRepository.layer
).pipe(
  Layer.provideMerge(ProductWrites.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      AdministeredChanges.layer,
      AppRepository.layer,
      Budget.layer,
      ChangeSetRepository.layer,
      CollectionRepository.layer,
      DeliveryLog.layer,
      ExportRepository.layer,
      ExternalIds.layer,
      FileRows.layer,
      FollowedStores.layer,
      Jobs.layer,
      JournalEntries.layer,
      OperationRepository.layer,
      Outbox.layer,
      Passwords.layer,
      ProductRepository.layer,
      RecordRepository.layer,
      Revocation.layer,
      SearchIndex.layer,
      SecretKeys.layer,
      SignInThrottle.layer,
      StoreAllocation.layer,
      TokenExchange.layer,
      UninstalledDataPurge.layer,
      UnitOfWork.layer,
      Vocabulary.layer
    )
  )
)

/** Steps of the jobs of change sets and imports, which perform the writes of other domain services. */
const ChangeSetJobsLive = ChangeSetJobs.layer.pipe(
  Layer.provide(Layer.provide(ImportSteps.layer, ImageCopies.layer)),
  Layer.provideMerge(ImportsLive),
  Layer.provide(Operations.layer),
  Layer.provide(ProductOperations.layer),
  Layer.provide(Skus.layer)
)

/** Files, sizes of pictures and the storage of their bytes. */
const MediaLive = Layer.mergeAll(Layer.provideMerge(RemoteFilesLive, FilesLive), ImagesLive).pipe(
  Layer.provide(Objects.layer),
  Layer.provide(Layer.mergeAll(ImageWorkers.layer, ObjectStorageLive))
)

/** All domain services, on one database. */
export const DomainLive = Layer.mergeAll(ChangeSetJobsLive, ExportJobs.layer, ImportFilesLive).pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      AccessLive,
      ActivityLive,
      AppDataLive,
      BillingLive,
      BulkheadLive,
      CatalogLive,
      ChangeFeedLive,
      ChangeSetsLive,
      ChangesLive,
      CustomersLive,
      DigestsLive,
      ExportsLive,
      HealthLive,
      IdempotencyLive,
      JournalLive,
      MediaLive,
      OauthLive,
      OrdersLive,
      PacingLive,
      RateLimitLive,
      ReadsLive,
      RequestsLive,
      SearchLive,
      StoreWebhooksLive,
      UndoLive,
      ViewsLive,
      WebhooksLive,
      WritesLive
    )
  ),
  Layer.provide(RepositoriesLive),
  Layer.provideMerge(LimitsLive)
)
