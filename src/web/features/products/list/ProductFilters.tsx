import { useDates } from "../../../shared/data/format.ts"
import { Result } from "effect"
import { type FormEvent, useState } from "react"
import { type Problems, rulesOf } from "../../collections/collectionDraft.ts"
import { RuleBuilder } from "../../collections/RuleBuilder.tsx"
import { newRule, ruleDraft, ruleSentence } from "../../collections/ruleDraft.ts"
import { Button } from "../../../shared/ui/form/Button.tsx"
import { SelectField, SearchField } from "../../../shared/ui/form/Field.tsx"
import { Dialog } from "../../../shared/ui/layout/Dialog.tsx"
import { Row as Line, Stack } from "../../../shared/ui/layout/Page.tsx"
import { productTexts } from "../productTexts.ts"
import { productListTexts } from "./productListTexts.ts"
import { LOW_STOCK, presetOf, STATUSES, STOCKS, type View, withPreset, withView } from "./listView.ts"
import css from "../Products.module.css"

const texts = productListTexts.list

const QUICK_FILTERS = [
  { label: texts.status, presets: STATUSES, names: { any: texts.anyStatus, ...productTexts.states } },
  {
    label: texts.stock,
    presets: STOCKS,
    names: { any: texts.stocks.any, out: texts.stocks.none, low: texts.stocks.low(LOW_STOCK), in: texts.stocks.some }
  }
] as const

interface FilterProps {
  readonly view: View
  /** `isTyped` changes replace each other in the history of the browser. */
  readonly show: (view: View, isTyped?: boolean) => void
}

/** Inputs of the filters: search, status, stock, and the dialog for all rules. */
export const ProductFilters = ({ editColumns, show, view }: FilterProps & { readonly editColumns: () => void }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <search className={css["tools"]}>
      <SearchField
        label={texts.search}
        placeholder={texts.searchPlaceholder}
        value={view.search ?? ""}
        change={(search) => show(withView(view, { search }), view.search !== undefined)}
      />
      {QUICK_FILTERS.map(({ label, names: { any, ...names }, presets }) => {
        const value = presetOf(presets, view)
        return (
          <SelectField
            key={label}
            label={label}
            value={value}
            // A preset can have several rules, which must all match.
            disabled={view.disjunctive === true}
            onChange={({ target }) => show(withPreset(presets, view, target.value))}
          >
            <option value="">{any}</option>
            {Object.entries(names).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
            {value === "custom" ? <option value="custom">{texts.custom}</option> : undefined}
          </SelectField>
        )
      })}
      <Button onClick={() => setOpen(true)}>{texts.addFilter}</Button>
      <Button onClick={editColumns}>{texts.editColumns}</Button>
      <Dialog title={texts.filters} isOpen={isOpen} close={() => setOpen(false)} isWide>
        <FilterForm
          view={view}
          show={(next) => {
            setOpen(false)
            show(next)
          }}
        />
      </Dialog>
    </search>
  )
}

/** Edits the rules of the view, beginning with a new one. */
const FilterForm = ({ show, view }: FilterProps) => {
  const [draft, setDraft] = useState(() => ({
    disjunctive: view.disjunctive ?? false,
    rules: [...(view.rules ?? []).map((rule, index) => ruleDraft(rule, String(index))), newRule()]
  }))
  const [problems, setProblems] = useState<Problems>(new Map())
  const submit = (event: FormEvent) => {
    event.preventDefault()
    Result.match(rulesOf(draft), {
      onFailure: setProblems,
      onSuccess: (rules) => show(withView(view, { rules, disjunctive: draft.disjunctive }))
    })
  }
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <RuleBuilder
          draft={draft}
          problems={problems}
          change={({ disjunctive = draft.disjunctive, rules = draft.rules }) => {
            setDraft({ disjunctive, rules: [...rules] })
            setProblems(new Map())
          }}
        />
        <Line>
          <Button type="submit" kind="strong">
            {texts.applyFilters}
          </Button>
        </Line>
      </Stack>
    </form>
  )
}

/** The rules of the view, each with a button that removes it. */
export const FilterChips = ({ show, view }: FilterProps) => {
  const { disjunctive = false, rules = [] } = view
  const dates = useDates()
  if (rules.length === 0) return undefined
  return (
    <ul className={css["chips"]} aria-label={texts.filters}>
      {rules.map((rule, index) => {
        const sentence = ruleSentence(rule, dates)
        return (
          // oxlint-disable-next-line react/no-array-index-key -- Rules can be equal.
          <li key={`${index} ${sentence}`} className={css["chip"]}>
            {disjunctive && index > 0 ? `${texts.or} ${sentence}` : sentence}
            <button
              type="button"
              aria-label={texts.removeFilter(sentence)}
              onClick={() => show(withView(view, { rules: rules.toSpliced(index, 1) }))}
            >
              ✕
            </button>
          </li>
        )
      })}
      <li>
        <Button kind="quiet" onClick={() => show(withView(view, { search: "", rules: [] }))}>
          {texts.clearFilters}
        </Button>
      </li>
    </ul>
  )
}
