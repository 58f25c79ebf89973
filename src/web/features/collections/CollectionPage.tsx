import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import { isMissing } from "../../shared/data/errorMessages.ts"
import { useRpcQuery, useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { NotFoundPage } from "../../shared/ui/layout/ErrorPage.tsx"
import { BackLink } from "../../shared/ui/layout/BackLink.tsx"
import { Page } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { CollectionEditor } from "./CollectionEditor.tsx"
import { collectionTexts } from "./collectionTexts.ts"

const route = getRouteApi("/dashboard/member/$storeId/collections/$collectionId")

/** Page of one collection. */
export const CollectionPage = () => {
  const { collectionId: id, storeId } = route.useParams()
  const query = useRpcQuery([storeId, "collection", id], (client) => client.collections.get({ storeId, id }))
  const [isDeleting, setDeleting] = useState(false)
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data?.title ?? collectionTexts.details.fallbackTitle}
      above={
        <BackLink to="/dashboard/$storeId/collections" params={{ storeId }}>
          {collectionTexts.list.title}
        </BackLink>
      }
      actions={
        <Button kind="danger" disabled={query.data === undefined} onClick={() => setDeleting(true)}>
          {collectionTexts.details.delete}
        </Button>
      }
    >
      <QueryBoundary query={query} lines={12}>
        {(collection) => (
          <>
            <CollectionEditor key={id} latest={collection} />
            <DeleteCollectionDialog collection={collection} isOpen={isDeleting} close={() => setDeleting(false)} />
          </>
        )}
      </QueryBoundary>
    </Page>
  )
}

interface DeleteCollectionDialogProps {
  readonly collection: Collection
  readonly isOpen: boolean
  readonly close: () => void
}

const DeleteCollectionDialog = ({ close, collection: { id, title }, isOpen }: DeleteCollectionDialogProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const deleting = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.collections.delete({ storeId, id, idempotencyKey }),
    invalidates: [[storeId, "collections"]],
    onSuccess: () => {
      toast(collectionTexts.details.deleted(title))
      void navigate({ to: "/dashboard/$storeId/collections", params: { storeId }, ignoreBlocker: true })
    }
  })
  return (
    <Confirm
      title={collectionTexts.details.confirmDelete(title)}
      action={collectionTexts.details.delete}
      isOpen={isOpen}
      close={close}
      confirm={() => deleting.mutate()}
      isBusy={deleting.isPending}
      error={deleting.error}
    >
      <p>{collectionTexts.details.deleteAdvice}</p>
    </Confirm>
  )
}
