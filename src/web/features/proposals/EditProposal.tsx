import { Result } from "effect"
import { type FormEvent, type ReactNode, useRef, useState } from "react"
import type { JsonObject } from "../../../domain/json/Json.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { numberText } from "../../shared/data/typedNumbers.ts"
import { ErrorNotice } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { CheckField, NumberField, TextArea, TextField } from "../../shared/ui/form/Field.tsx"
import { Dialog } from "../../shared/ui/layout/Dialog.tsx"
import { MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { uiTexts } from "../../shared/sharedTexts.ts"
import { type Draft as CollectionDraft, patchOf as collectionPatchOf } from "../collections/collectionDraft.ts"
import { useFocusFirstProblem } from "../collections/CollectionForm.tsx"
import { collectionTexts } from "../collections/collectionTexts.ts"
import type { Draft as ProductDraft } from "../products/editor/productDraft.ts"
import { problemIn, withoutEdited } from "../products/editor/productFields.ts"
import { NO_PROBLEMS, patchOf as productPatchOf, type Problems, problemsIn } from "../products/editor/productInput.ts"
import { ProductField } from "../products/editor/ProductForm.tsx"
import { productTexts } from "../products/productTexts.ts"
import type { NamedProposal } from "./proposalPreview.ts"
import { type CollectionField, parseQuantity, type ProposalForm, withEdits } from "./proposalForm.ts"
import { proposalTexts } from "./proposalTexts.ts"

interface EditProposalProps<Form extends ProposalForm = ProposalForm> {
  readonly proposal: NamedProposal
  readonly form: Form
  readonly close: () => void
}

type FormOf<Tag extends ProposalForm["_tag"]> = Extract<ProposalForm, { readonly _tag: Tag }>

interface EditFormProps extends EditProposalProps {
  readonly problems: Problems
  readonly show: (problems: Problems) => void
  /** Validates the edited values. */
  readonly read: () => Result.Result<object, Problems>
  readonly children: ReactNode
}

const EditForm = ({ children, close, form, problems, proposal, read, show }: EditFormProps) => {
  const storeId = useStoreId()
  const element = useRef<HTMLFormElement>(null)
  useFocusFirstProblem(element, problems)
  const approving = useRpcMutation({
    write: (client, edited: JsonObject, idempotencyKey) =>
      client.proposals.approve({ storeId, idempotencyKey, id: proposal.id, edited }),
    invalidates: [[storeId, "proposals"]],
    onSuccess: ({ edited }) => {
      close()
      toast((edited === null ? proposalTexts.card.approvedToast : proposalTexts.edit.approvedToast)(proposal.title))
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    Result.match(read(), {
      onFailure: show,
      onSuccess: (edits) => {
        show(NO_PROBLEMS)
        approving.mutate(withEdits(proposal, form, edits), { onError: (error) => show(problemsIn(error)) })
      }
    })
  }
  return (
    <form ref={element} onSubmit={submit} noValidate>
      <Stack>
        <MutedText>{proposalTexts.edit.advice(proposal.agentName)}</MutedText>
        {children}
        {form.kept.length === 0 ? undefined : <MutedText>{proposalTexts.edit.kept(form.kept.join(", "))}</MutedText>}
        {approving.error === null ? undefined : <ErrorNotice error={approving.error} />}
        <Row>
          <Button kind="strong" type="submit" isBusy={approving.isPending}>
            {proposalTexts.edit.action}
          </Button>
          <Button onClick={close}>{uiTexts.dialog.cancel}</Button>
        </Row>
      </Stack>
    </form>
  )
}

const NO_VARIANTS = new Map<string, never>()

const ProductEdit = (props: EditProposalProps<FormOf<"Product">>) => {
  const { draft: initial, fields } = props.form
  const currency = useStore().data?.currencyCode ?? ""
  const [draft, setDraft] = useState(initial)
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  const edit = (edited: Partial<ProductDraft>) => {
    setDraft((now) => ({ ...now, ...edited }))
    setProblems((now) => withoutEdited(now, edited))
  }
  const stock = (
    <NumberField
      label={productTexts.fields.stock}
      value={draft.stock}
      problem={problems.get("stock")}
      onChange={({ target }) => edit({ stock: target.value })}
    />
  )
  const form = { editing: { draft, problems, edit }, currency, stock, variantStock: NO_VARIANTS }
  return (
    <EditForm {...props} problems={problems} show={setProblems} read={() => productPatchOf(initial, draft)}>
      {fields.map((field) => (
        <ProductField key={field} field={field} form={form} />
      ))}
    </EditForm>
  )
}

const LONG_TEXTS: ReadonlySet<CollectionField> = new Set(["description", "metaDescription"])

const CollectionEdit = (props: EditProposalProps<FormOf<"Collection">>) => {
  const { draft: initial, fields } = props.form
  const [draft, setDraft] = useState(initial)
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  const edit = (edited: Partial<CollectionDraft>) => setDraft((now) => ({ ...now, ...edited }))
  return (
    <EditForm {...props} problems={problems} show={setProblems} read={() => collectionPatchOf(initial, draft)}>
      {fields.map((field) => {
        const texts = { label: collectionTexts.fields[field], problem: problemIn(problems, field) }
        if (field === "isActive") {
          return (
            <CheckField
              key={field}
              {...texts}
              checked={draft.isActive}
              onChange={({ target }) => edit({ isActive: target.checked })}
            />
          )
        }
        const input = {
          ...texts,
          value: draft[field],
          onChange: ({ target }: { readonly target: { readonly value: string } }) => edit({ [field]: target.value })
        }
        return LONG_TEXTS.has(field) ? <TextArea key={field} {...input} /> : <TextField key={field} {...input} />
      })}
    </EditForm>
  )
}

const StockEdit = (props: EditProposalProps<FormOf<"Stock">>) => {
  const { field, quantity } = props.form
  const [typed, setTyped] = useState(numberText(quantity))
  const [problems, setProblems] = useState<Problems>(NO_PROBLEMS)
  return (
    <EditForm {...props} problems={problems} show={setProblems} read={() => parseQuantity(field, typed)}>
      <NumberField
        label={field === "adjust" ? productTexts.stock.quantityToAdd : productTexts.stock.newQuantity}
        hint={field === "adjust" ? productTexts.stock.adjustHint : undefined}
        // The decimal keyboard of iPhones has no minus sign.
        inputMode={field === "adjust" ? "text" : "decimal"}
        value={typed}
        problem={problems.get("quantity") ?? problems.get(`change.${field}`)}
        onChange={({ target }) => setTyped(target.value)}
      />
    </EditForm>
  )
}

const FormOfKind = ({ form, ...props }: EditProposalProps) => {
  switch (form._tag) {
    case "Product":
      return <ProductEdit {...props} form={form} />
    case "Collection":
      return <CollectionEdit {...props} form={form} />
    case "Stock":
      return <StockEdit {...props} form={form} />
  }
}

/** Approves a proposal with other values. */
export const EditProposalDialog = (props: EditProposalProps) => (
  <Dialog title={proposalTexts.edit.title(props.proposal.title)} isOpen close={props.close}>
    <FormOfKind {...props} />
  </Dialog>
)
