import { useQueryClient } from "@tanstack/react-query"
import { getRouteApi, useNavigate } from "@tanstack/react-router"
import { Result } from "effect"
import { useCallback, useMemo, useRef, useState } from "react"
import type { Collection, UpdateCollection } from "../../../domain/catalog/Collection.ts"
import { performed } from "../../../rpc/Client.ts"
import { type Dates, useDates } from "../../shared/data/format.ts"
import { isMissing, isOutdated } from "../../shared/data/errorMessages.ts"
import { differences, merge, withFields } from "../../shared/data/differences.ts"
import { useRpcMutation, useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId } from "../../shared/data/store.ts"
import { ErrorNotice, QueryBoundary, NotFoundPage } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { PresenceNote, useVersionChoices, VersionChoice } from "../../shared/ui/form/ConcurrentEdits.tsx"
import { SaveBar, UnsavedChangesGuard } from "../../shared/ui/form/SaveForm.tsx"
import { BackLink, Card, MutedText, Page, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { CollectionForm, useFocusFirstProblem } from "./CollectionForm.tsx"
import { RuleChangeDialog } from "./RuleChangeDialog.tsx"
import { changesMatches, type Draft, draftOf, NO_PROBLEMS, patchOf } from "./collectionDraft.ts"
import { collectionTexts } from "./collectionTexts.ts"
import { ruleOf, ruleSentence } from "./ruleDraft.ts"

interface ConflictCardProps {
  readonly base: Draft
  readonly mine: Draft
  readonly theirs: Draft
  readonly resolve: (draft: Draft) => void
}

const textOf = (field: keyof Draft, draft: Draft, dates: Dates): string => {
  switch (field) {
    case "isActive":
      return draft.isActive ? collectionTexts.conflict.yes : collectionTexts.conflict.no
    case "disjunctive":
      return draft.disjunctive ? collectionTexts.conflict.anyRule : collectionTexts.conflict.allRules
    case "type":
      return draft.type === "manual" ? collectionTexts.list.manual : collectionTexts.conflict.automated
    case "rules":
      return draft.rules.map((rule) => ruleSentence(ruleOf(rule), dates)).join("\n")
    case "productIds":
      return collectionTexts.conflict.products(draft.productIds.length)
    case "title":
    case "description":
    case "imageUrl":
    case "slug":
    case "seoTitle":
    case "metaDescription":
      return draft[field]
  }
}

/** Resolves fields that two users changed. Local changes are never lost. */
const ConflictCard = ({ base, resolve, mine, theirs }: ConflictCardProps) => {
  const dates = useDates()
  const { conflicts, draft, changedByThem } = merge(base, mine, theirs)
  const { choose, chosen } = useVersionChoices<keyof Draft>()
  return (
    <div role="alert">
      <Card title={collectionTexts.conflict.title}>
        <Stack>
          {changedByThem.length === 0 ? undefined : (
            <p>
              {collectionTexts.conflict.otherFields(
                changedByThem.map((field) => collectionTexts.fields[field]).join(", ")
              )}
            </p>
          )}
          {conflicts.length === 0 ? (
            <MutedText>{collectionTexts.conflict.noOverlap}</MutedText>
          ) : (
            <p>{collectionTexts.conflict.chooseVersions}</p>
          )}
          {conflicts.map((field) => (
            <VersionChoice
              key={field}
              name={collectionTexts.fields[field]}
              yours={textOf(field, mine, dates)}
              theirs={textOf(field, theirs, dates)}
              isTheirs={chosen.has(field)}
              choose={(isTheirs) => choose(field, isTheirs)}
            />
          ))}
          <Row>
            <Button kind="strong" onClick={() => resolve(withFields(draft, theirs, [...chosen]))}>
              {collectionTexts.conflict.continueEditing}
            </Button>
          </Row>
        </Stack>
      </Card>
    </div>
  )
}

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
const CollectionEditor = ({ latest }: { readonly latest: Collection }) => {
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
