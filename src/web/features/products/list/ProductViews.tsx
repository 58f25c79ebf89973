import { Link, useNavigate } from "@tanstack/react-router"
import { type FormEvent, useState } from "react"
import type { CreateCollection } from "../../../../rpc/Client.ts"
import { performed, type StoreId, type ViewId, type ViewInput } from "../../../../rpc/Client.ts"
import { canonical } from "../../../../domain/json/Json.ts"
import { useRpcMutation, useRpcQuery } from "../../../shared/data/queries.ts"
import { ErrorNotice } from "../../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../../shared/ui/display/Toasts.tsx"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { SaveForm } from "../../../shared/ui/form/SaveForm.tsx"
import { CheckField, TextField } from "../../../shared/ui/form/Field.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { useStoreId } from "../../../shared/data/store.ts"
import { productListTexts } from "./productListTexts.ts"
import type { ColumnName, View } from "./listView.ts"
import css from "../Products.module.css"

const texts = productListTexts.views

const viewsKey = (storeId: StoreId) => [storeId, "views", "products"]

/** Saved views of products. The active one was opened last, even if the filter has changed since. */
export const useProductViews = (storeId: StoreId, view: View) => {
  const { data = [] } = useRpcQuery(viewsKey(storeId), (client) => client.views.list({ storeId, resource: "products" }))
  const views = data.flatMap((one) => (one.resource === "products" ? [one] : []))
  const own = canonical(view)
  const isAll = own === "{}"
  const current = views.find(({ query }) => canonical(query) === own)
  const [openedId, setOpenedId] = useState<ViewId>()
  const activeId = current === undefined && !isAll ? openedId : current?.id
  if (activeId !== openedId) setOpenedId(activeId)
  return { views, isAll, current, active: current ?? views.find(({ id }) => id === activeId) }
}

type NamedView = Pick<ViewInput, "name" | "isShared">

interface ProductViewsProps {
  readonly view: View
  readonly columns: ReadonlyArray<ColumnName>
  readonly saved: ReturnType<typeof useProductViews>
}

/** Saved views as links, and the actions that keep the filter of the list: as a view, or as a collection. */
export const ProductViews = ({ columns, saved: { active, current, isAll, views }, view }: ProductViewsProps) => {
  const storeId = useStoreId()
  const navigate = useNavigate()
  const [open, setOpen] = useState<"view" | "update" | "collection">()
  const onSuccess = ({ name }: { readonly name: string }) => {
    setOpen(undefined)
    toast(texts.saved(name))
  }
  const saving = useRpcMutation({
    write: (client, named: NamedView, idempotencyKey) =>
      client.views.create({
        storeId,
        idempotencyKey,
        view: { resource: "products", query: view, columns, ...named }
      }),
    invalidates: [viewsKey(storeId)],
    onSuccess
  })
  const updating = useRpcMutation({
    write: (client, { id, ...named }: NamedView & { readonly id: ViewId }, idempotencyKey) =>
      client.views.update({
        storeId,
        idempotencyKey,
        id,
        view: { resource: "products", query: view, columns, ...named }
      }),
    invalidates: [viewsKey(storeId)],
    onSuccess
  })
  const deleting = useRpcMutation({
    write: (client, id: ViewId, idempotencyKey) => client.views.delete({ storeId, idempotencyKey, id }),
    invalidates: [viewsKey(storeId)],
    onSuccess: () => toast(texts.deleted)
  })
  const creating = useRpcMutation({
    write: (client, collection: CreateCollection, idempotencyKey) =>
      performed(client.collections.create({ storeId, idempotencyKey, collection })),
    invalidates: [[storeId, "collections"]],
    onSuccess: ({ id }) =>
      void navigate({ to: "/dashboard/$storeId/collections/$collectionId", params: { storeId, collectionId: id } })
  })
  const { disjunctive = false, rules = [], search } = view
  const close = () => {
    setOpen(undefined)
    saving.reset()
    updating.reset()
    creating.reset()
  }
  const linkTo = (name: string, query: View, isCurrent: boolean) => (
    <Link
      to="/dashboard/$storeId/products"
      params={{ storeId }}
      search={query}
      className={css["view"]}
      activeOptions={{ exact: true }}
      aria-current={isCurrent ? "page" : undefined}
    >
      {name}
    </Link>
  )
  if (views.length === 0 && isAll) return undefined
  return (
    <nav className={css["views"]} aria-label={texts.title}>
      {linkTo(texts.all, {}, isAll)}
      {views.map((one) => (
        <span key={one.id}>{linkTo(one.name, one.query, one === current)}</span>
      ))}
      {active === undefined ? undefined : (
        <Button kind="quiet" onClick={() => setOpen("update")}>
          {texts.update}
        </Button>
      )}
      {current === undefined && !isAll ? (
        <Button kind="quiet" onClick={() => setOpen("view")}>
          {texts.save}
        </Button>
      ) : undefined}
      {current === undefined ? undefined : (
        <Button kind="quiet" onClick={() => deleting.mutate(current.id)} isBusy={deleting.isPending}>
          {texts.delete}
        </Button>
      )}
      {rules.length > 0 && search === undefined ? (
        <Button kind="quiet" onClick={() => setOpen("collection")}>
          {texts.createCollection}
        </Button>
      ) : undefined}
      {deleting.error === null ? undefined : <ErrorNotice error={deleting.error} />}
      <Dialog title={texts.save} isOpen={open === "view"} close={close}>
        <NameForm
          label={texts.name}
          hasShared
          error={saving.error}
          isBusy={saving.isPending}
          submitText={texts.save}
          submit={(name, isShared) => saving.mutate({ name, isShared })}
        />
      </Dialog>
      {active === undefined ? undefined : (
        <Dialog title={texts.update} isOpen={open === "update"} close={close}>
          <NameForm
            label={texts.name}
            hasShared
            initial={active}
            error={updating.error}
            isBusy={updating.isPending}
            submitText={texts.update}
            submit={(name, isShared) => updating.mutate({ id: active.id, name, isShared })}
          />
        </Dialog>
      )}
      <Dialog title={texts.createCollection} isOpen={open === "collection"} close={close}>
        <NameForm
          label={texts.collectionTitle}
          error={creating.error}
          isBusy={creating.isPending}
          submitText={texts.createCollection}
          submit={(title) => creating.mutate({ title, type: "automated", rules, disjunctive })}
        />
      </Dialog>
    </nav>
  )
}

interface NameFormProps {
  readonly label: string
  /** Offers to share the view. */
  readonly hasShared?: boolean
  /** View to change. */
  readonly initial?: NamedView
  readonly error: unknown
  readonly isBusy: boolean
  readonly submitText: string
  readonly submit: (name: string, isShared: boolean) => void
}

const NameForm = ({ error, hasShared = false, initial, isBusy, label, submit, submitText }: NameFormProps) => {
  const [name, setName] = useState(initial?.name ?? "")
  const [isShared, setShared] = useState(initial?.isShared ?? false)
  const [isMissing, setMissing] = useState(false)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === "") setMissing(true)
    else submit(name.trim(), isShared)
  }
  return (
    <SaveForm onSubmit={onSubmit}>
      <Stack>
        <TextField
          label={label}
          value={name}
          maxLength={100}
          problem={isMissing ? texts.missingName : undefined}
          onChange={({ target }) => {
            setName(target.value)
            setMissing(false)
          }}
        />
        {hasShared ? (
          <>
            <CheckField
              label={texts.share}
              hint={texts.shareHint}
              checked={isShared}
              onChange={({ target }) => setShared(target.checked)}
            />
            <MutedText>{texts.content}</MutedText>
          </>
        ) : undefined}
        {error === null ? undefined : <ErrorNotice error={error} />}
        <Line>
          <Button type="submit" kind="strong" isBusy={isBusy}>
            {submitText}
          </Button>
        </Line>
      </Stack>
    </SaveForm>
  )
}
