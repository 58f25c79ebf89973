import { getRouteApi, Link, useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import type { Collection } from "../../../domain/catalog/Collection.ts"
import { isMissing } from "../../data/Problem.ts"
import { useAsked, useWrite } from "../../data/Queries.ts"
import { Button } from "../../ui/Button.tsx"
import { Confirm } from "../../ui/Dialog.tsx"
import { NoPage } from "../../ui/Failed.tsx"
import { Page } from "../../ui/Page.tsx"
import { Answered } from "../../ui/States.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"
import { CollectionEditor } from "./CollectionEditor.tsx"

const route = getRouteApi("/dashboard/member/$storeId/collections/$collectionId")

/** One collection, to be read and changed. */
export const CollectionPage = () => {
  const { collectionId: id, storeId } = route.useParams()
  const asked = useAsked([storeId, "collection", id], (client) => client.collections.get({ storeId, id }))
  const [isDeleting, setDeleting] = useState(false)
  if (asked.data === undefined && isMissing(asked.error)) return <NoPage />
  return (
    <Page
      title={asked.data?.title ?? "Collection"}
      above={
        <Link to="/dashboard/$storeId/collections" params={{ storeId }}>
          Collections
        </Link>
      }
      actions={
        <Button kind="danger" disabled={asked.data === undefined} onClick={() => setDeleting(true)}>
          {" "}
          Delete collection{" "}
        </Button>
      }
    >
      <Answered asked={asked} lines={12}>
        {(collection) => (
          <>
            <CollectionEditor key={id} latest={collection} />
            <Deleting collection={collection} isOpen={isDeleting} close={() => setDeleting(false)} />
          </>
        )}
      </Answered>
    </Page>
  )
}

interface DeletingProps {
  readonly collection: Collection
  readonly isOpen: boolean
  readonly close: () => void
}

const Deleting = ({ close, collection: { id, title }, isOpen }: DeletingProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const deleting = useWrite({
    write: (client, _: void, idempotencyKey) => client.collections.delete({ storeId, id, idempotencyKey }),
    touches: [[storeId, "collections"]],
    done: () => {
      toast(`${title} deleted`)
      void navigate({ to: "/dashboard/$storeId/collections", params: { storeId }, ignoreBlocker: true })
    }
  })
  return (
    <Confirm
      title={`Delete ${title}?`}
      action="Delete collection"
      isOpen={isOpen}
      close={close}
      confirm={() => deleting.mutate()}
      isBusy={deleting.isPending}
      error={deleting.error}
    >
      <p>Products in this collection are not deleted. You can restore the collection from Activity.</p>
    </Confirm>
  )
}
