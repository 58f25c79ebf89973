import { count } from "../../data/Format.ts"
import { merge, withFields } from "../../data/Merge.ts"
import { Button } from "../../ui/Button.tsx"
import { Card, Quiet, Row, Stack } from "../../ui/Page.tsx"
import { useChosen, Versions } from "../../ui/Versions.tsx"
import { type Draft, FIELD_NAMES } from "./CollectionDraft.ts"
import { ruleOf } from "./RuleDraft.ts"
import { sentenceOf } from "./RuleWords.ts"

interface ConflictProps {
  readonly base: Draft
  readonly mine: Draft
  readonly theirs: Draft
  readonly goOn: (draft: Draft) => void
}

const textOf = (field: keyof Draft, draft: Draft): string => {
  switch (field) {
    case "isActive":
      return draft.isActive ? "Yes" : "No"
    case "disjunctive":
      return draft.disjunctive ? "Any rule is enough" : "All rules must hold"
    case "type":
      return draft.type === "manual" ? "You choose them and their order" : "By rules"
    case "rules":
      return draft.rules.map((rule) => sentenceOf(ruleOf(rule))).join("\n")
    case "productIds":
      return `${count(draft.productIds.length, "product")} in an order of its own`
    case "title":
    case "description":
    case "imageUrl":
    case "slug":
    case "seoTitle":
    case "metaDescription":
      return draft[field]
  }
}

/** Somebody else saved meanwhile: theirs beside yours, for each field that both changed. Nothing that was typed is lost. */
export const Conflict = ({ base, goOn, mine, theirs }: ConflictProps) => {
  const { conflicts, draft, taken } = merge(base, mine, theirs)
  const { choose, chosen } = useChosen<keyof Draft>()
  return (
    <div role="alert">
      <Card title="Somebody else saved this collection meanwhile">
        <Stack>
          {taken.length === 0 ? undefined : (
            <p>{`They changed what you did not touch, which stays as they have it: ${taken.map((field) => FIELD_NAMES[field]).join(", ")}.`}</p>
          )}
          {conflicts.length === 0 ? (
            <Quiet>What you changed stands beside it, and is still to be saved.</Quiet>
          ) : (
            <p>You both changed the following. Choose what it is to be; nothing is saved before you save it.</p>
          )}
          {conflicts.map((field) => (
            <Versions
              key={field}
              name={FIELD_NAMES[field]}
              yours={textOf(field, mine)}
              theirs={textOf(field, theirs)}
              isTheirs={chosen.has(field)}
              choose={(isTheirs) => choose(field, isTheirs)}
            />
          ))}
          <Row>
            <Button kind="strong" onClick={() => goOn(withFields(draft, theirs, [...chosen]))}>
              Go on with this
            </Button>
          </Row>
        </Stack>
      </Card>
    </div>
  )
}
