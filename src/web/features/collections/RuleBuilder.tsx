import { Struct } from "effect"
import { useEffect, useRef } from "react"
import { FIELDS, RELATIONS } from "../../../domain/catalog/Rule.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { NumberField, SelectField, TextArea, TextField } from "../../shared/ui/form/Field.tsx"
import { Row } from "../../shared/ui/layout/Page.tsx"
import css from "./Collections.module.css"
import type { Draft, Problems } from "./collectionDraft.ts"
import { collectionTexts } from "./collectionTexts.ts"
import { newRule, relationLabel, type RuleDraft, valueInputOf, withField, withRelation, withText } from "./ruleDraft.ts"

interface RuleBuilderProps {
  readonly draft: Pick<Draft, "disjunctive" | "rules">
  readonly problems: Problems
  readonly change: (part: Partial<Draft>) => void
}

const MAX_RULES = 60

/** Rules of an automated collection. Each has a field, a condition and a value. */
export const RuleBuilder = ({ change, draft: { disjunctive, rules }, problems }: RuleBuilderProps) => {
  const list = useRef<HTMLUListElement>(null)
  const added = useRef<string>(undefined)
  useEffect(() => {
    if (added.current === undefined) return
    list.current?.querySelector<HTMLElement>("li:last-child select")?.focus()
    added.current = undefined
  }, [rules])
  const add = () => {
    const rule = newRule()
    added.current = rule.key
    change({ rules: [...rules, rule] })
  }
  return (
    <>
      <SelectField
        label={collectionTexts.rules.mustMatch}
        value={disjunctive ? "any" : "all"}
        problem={rules.length === 0 ? problems.get("rules") : undefined}
        onChange={({ target }) => change({ disjunctive: target.value === "any" })}
      >
        <option value="all">{collectionTexts.rules.all}</option>
        <option value="any">{collectionTexts.rules.any}</option>
      </SelectField>
      {rules.length === 0 ? undefined : (
        <ul ref={list} className={css["rules"]}>
          {rules.map((rule, index) => (
            <RuleLine
              key={rule.key}
              rule={rule}
              name={collectionTexts.rules.rule(index + 1)}
              problem={problems.get(`rules.${index}.value`) ?? problems.get(`rules.${index}.relation`)}
              change={(next) => change({ rules: rules.with(index, next) })}
              remove={() => change({ rules: rules.toSpliced(index, 1) })}
            />
          ))}
        </ul>
      )}
      <Row>
        <Button onClick={add} disabled={rules.length >= MAX_RULES}>
          {collectionTexts.rules.add}
        </Button>
      </Row>
    </>
  )
}

interface RuleLineProps {
  readonly rule: RuleDraft
  readonly name: string
  readonly problem: string | undefined
  readonly change: (rule: RuleDraft) => void
  readonly remove: () => void
}

const RuleLine = ({ change, name, problem, remove, rule }: RuleLineProps) => {
  const { kind } = FIELDS[rule.field]
  const type = (text: string) => change(withText(rule, text))
  return (
    <li className={css["rule"]} aria-label={name}>
      <SelectField
        label={collectionTexts.rules.field}
        value={rule.field}
        onChange={({ target }) => {
          const field = Struct.keys(FIELDS).find((one) => one === target.value)
          if (field !== undefined) change(withField(rule, field))
        }}
      >
        {Struct.keys(FIELDS).map((field) => (
          <option key={field} value={field}>
            {collectionTexts.ruleFields[field]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label={collectionTexts.rules.condition}
        value={rule.relation}
        onChange={({ target }) => {
          const relation = RELATIONS[kind].find((one) => one === target.value)
          if (relation !== undefined) change(withRelation(rule, relation))
        }}
      >
        {RELATIONS[kind].map((relation) => (
          <option key={relation} value={relation}>
            {relationLabel(relation, kind)}
          </option>
        ))}
      </SelectField>
      <ValueField rule={rule} problem={problem} type={type} />
      <Button kind="quiet" className={css["remove"]} aria-label={collectionTexts.rules.remove(name)} onClick={remove}>
        ✕
      </Button>
    </li>
  )
}

interface ValueFieldProps {
  readonly rule: RuleDraft
  readonly problem: string | undefined
  readonly type: (text: string) => void
}

const ValueField = ({ problem, rule, type }: ValueFieldProps) => {
  const field = { label: collectionTexts.rules.value, problem, value: rule.text }
  switch (valueInputOf(rule)) {
    case "none":
      return <span />
    case "lines":
      return (
        <TextArea
          {...field}
          hint={collectionTexts.rules.linesHint}
          rows={3}
          onChange={({ target }) => type(target.value)}
        />
      )
    case "boolean":
      return (
        <SelectField {...field} onChange={({ target }) => type(target.value)}>
          <option value="true">{collectionTexts.conflict.yes}</option>
          <option value="false">{collectionTexts.conflict.no}</option>
        </SelectField>
      )
    case "number":
      return <NumberField {...field} onChange={({ target }) => type(target.value)} />
    case "time":
      return <TextField {...field} type="datetime-local" onChange={({ target }) => type(target.value)} />
    case "text":
      return <TextField {...field} onChange={({ target }) => type(target.value)} />
  }
}
