import { useNavigate } from "@tanstack/react-router"
import { Result } from "effect"
import { useRef, useState } from "react"
import type { CreateCollection } from "../../../domain/catalog/Collection.ts"
import { performed } from "../../../rpc/Client.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { BackLink, Page } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { collectionOf, newDraft, NO_PROBLEMS } from "./collectionDraft.ts"
import { CollectionForm, useFocusFirstProblem } from "./CollectionForm.tsx"
import { collectionTexts } from "./collectionTexts.ts"

/** Creates a collection. */
export const NewCollectionPage = () => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [draft, setDraft] = useState(newDraft)
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const form = useRef<HTMLDivElement>(null)
  useFocusFirstProblem(form, problems)
  const creating = useRpcMutation({
    write: (client, collection: CreateCollection, idempotencyKey) =>
      client.collections.create({ storeId, collection, idempotencyKey }).pipe(performed),
    invalidates: [[storeId, "collections"]],
    onSuccess: ({ id, title }) => {
      toast(collectionTexts.create.created(title))
      void navigate({
        to: "/dashboard/$storeId/collections/$collectionId",
        params: { storeId, collectionId: id },
        ignoreBlocker: true
      })
    }
  })
  const create = () =>
    Result.match(collectionOf(draft), {
      onFailure: setProblems,
      onSuccess: (collection) => {
        setProblems(NO_PROBLEMS)
        creating.mutate(collection)
      }
    })
  return (
    <Page
      title={collectionTexts.create.title}
      above={
        <BackLink to="/dashboard/$storeId/collections" params={{ storeId }}>
          {collectionTexts.list.title}
        </BackLink>
      }
      actions={
        <Button kind="strong" onClick={create} isBusy={creating.isPending}>
          {collectionTexts.create.title}
        </Button>
      }
    >
      {creating.error === null ? undefined : <ErrorNotice error={creating.error} />}
      <div ref={form}>
        <CollectionForm
          matched={newDraft.productIds}
          draft={draft}
          problems={problems}
          change={(part) => {
            setDraft({ ...draft, ...part })
            setProblems(NO_PROBLEMS)
          }}
        />
      </div>
      <UnsavedChangesGuard isUnsaved={draft !== newDraft && !creating.isSuccess}>
        <p>{collectionTexts.create.unsaved}</p>
      </UnsavedChangesGuard>
    </Page>
  )
}
