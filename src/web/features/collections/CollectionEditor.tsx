import { useQueryClient } from "@tanstack/react-query"
import { Result } from "effect"
import { useCallback, useMemo, useRef, useState } from "react"
import type { Collection, UpdateCollection } from "../../../domain/catalog/Collection.ts"
import { performed } from "../../../rpc/Client.ts"
import { differences } from "../../shared/data/merge.ts"
import { isOutdated } from "../../shared/data/errorMessages.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { PresenceNote } from "../../shared/ui/form/PresenceNote.tsx"
import { SaveBar } from "../../shared/ui/form/SaveBar.tsx"
import { Stack } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { UnsavedChangesGuard } from "../../shared/ui/form/UnsavedChangesGuard.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { changesMatches, type Draft, draftOf, NO_PROBLEMS, patchOf } from "./collectionDraft.ts"
import { CollectionForm, useFocusFirstProblem } from "./CollectionForm.tsx"
import { ConflictCard } from "./ConflictCard.tsx"
import { RuleChangeDialog } from "./rules/RuleChangeDialog.tsx"
import { collectionTexts } from "./collectionTexts.ts"

/** Draft, and the collection on which it is based. */
interface EditState {
  readonly base: Collection
  readonly draft: Draft
}

interface PendingUpdate {
  readonly base: Collection
  readonly patch: UpdateCollection
}

/**
 * Form of an existing collection. Without a draft it follows the saved collection. With a draft, a save by another
 * user is a conflict that the user resolves.
 */
export const CollectionEditor = ({ latest }: { readonly latest: Collection }) => {
  const storeId = useStoreId()
  const queryClient = useQueryClient()
  const [edited, setEdited] = useState<EditState>()
  const [problems, setProblems] = useState(NO_PROBLEMS)
  const [pendingUpdate, setPendingUpdate] = useState<PendingUpdate>()
  const form = useRef<HTMLDivElement>(null)
  useFocusFirstProblem(form, problems)

  const key = [storeId, "collection", latest.id]
  const saving = useRpcMutation({
    write: (client, { base: { id, version }, patch }: PendingUpdate, idempotencyKey) =>
      client.collections.update({ storeId, id, patch, expectedVersion: version, idempotencyKey }).pipe(performed),
    invalidates: [[storeId, "collections"]],
    onSuccess: (saved) => {
      queryClient.setQueryData(key, saved)
      setEdited(undefined)
      setPendingUpdate(undefined)
      toast(collectionTexts.editor.saved(saved.title))
    }
  })

  const latestDraft = useMemo(() => draftOf(latest), [latest])
  const { base, draft } = edited ?? { base: latest, draft: latestDraft }
  const isDirty = edited !== undefined
  const isConflict = isDirty && !saving.isPending && latest.version > base.version
  const handleOutdated = useCallback(() => {
    setPendingUpdate(undefined)
    void queryClient.invalidateQueries({ queryKey: [storeId, "collection", latest.id] })
  }, [queryClient, storeId, latest.id])

  const setDraft = (base: Collection, next: Draft) => {
    setEdited(differences(draftOf(base), next).length === 0 ? undefined : { base, draft: next })
    setProblems(NO_PROBLEMS)
  }
  const save = () =>
    Result.match(patchOf(draftOf(base), draft), {
      onFailure: setProblems,
      onSuccess: (patch) => {
        setProblems(NO_PROBLEMS)
        if (changesMatches(patch, draft)) setPendingUpdate({ base, patch })
        else saving.mutate({ base, patch }, { onError: (error) => (isOutdated(error) ? handleOutdated() : undefined) })
      }
    })

  return (
    <Stack>
      <PresenceNote kind="collection" id={latest.id} />
      {isConflict ? (
        <ConflictCard
          key={latest.version}
          base={draftOf(base)}
          mine={draft}
          theirs={latestDraft}
          resolve={(next) => setDraft(latest, next)}
        />
      ) : undefined}
      <div ref={form}>
        <CollectionForm
          id={latest.id}
          matched={base.productIds}
          saved={latestDraft}
          draft={draft}
          problems={problems}
          change={(part) => setDraft(base, { ...draft, ...part })}
        />
      </div>
      {saving.error === null || isOutdated(saving.error) || pendingUpdate !== undefined ? undefined : (
        <ErrorNotice error={saving.error} />
      )}
      <SaveBar
        isShown={isDirty}
        discard={() => setDraft(latest, latestDraft)}
        save={save}
        isBusy={saving.isPending}
        isBlocked={isConflict}
      >
        {isConflict ? collectionTexts.editor.conflict : collectionTexts.editor.unsavedChanges}
      </SaveBar>
      {pendingUpdate === undefined ? undefined : (
        <RuleChangeDialog
          {...pendingUpdate}
          close={() => setPendingUpdate(undefined)}
          save={() =>
            saving.mutate(pendingUpdate, { onError: (error) => (isOutdated(error) ? handleOutdated() : undefined) })
          }
          onOutdated={handleOutdated}
          isSaving={saving.isPending}
          error={saving.error}
        />
      )}
      <UnsavedChangesGuard isUnsaved={isDirty}>
        <p>{collectionTexts.editor.unsaved}</p>
      </UnsavedChangesGuard>
    </Stack>
  )
}
