import { count } from "../../data/format.ts"
import { merge, withFields } from "../../data/merge.ts"
import { Button } from "../../ui/form/Button.tsx"
import { Card, MutedText, Row, Stack } from "../../ui/layout/Page.tsx"
import { useVersionChoices, VersionChoice } from "../../ui/form/VersionChoice.tsx"
import { type Draft, fieldLabels } from "./collectionDraft.ts"
import { ruleOf } from "./rules/ruleDraft.ts"
import { ruleSentence } from "./rules/ruleLabels.ts"

interface ConflictCardProps {
  readonly base: Draft
  readonly mine: Draft
  readonly theirs: Draft
  readonly resolve: (draft: Draft) => void
}

const textOf = (field: keyof Draft, draft: Draft): string => {
  switch (field) {
    case "isActive":
      return draft.isActive ? "Yes" : "No"
    case "disjunctive":
      return draft.disjunctive ? "Match any rule" : "Match all rules"
    case "type":
      return draft.type === "manual" ? "Manual" : "Automated"
    case "rules":
      return draft.rules.map((rule) => ruleSentence(ruleOf(rule))).join("\n")
    case "productIds":
      return `${count(draft.productIds.length, "product")} in this order`
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
export const ConflictCard = ({ base, resolve, mine, theirs }: ConflictCardProps) => {
  const { conflicts, draft, changedByThem } = merge(base, mine, theirs)
  const { choose, chosen } = useVersionChoices<keyof Draft>()
  return (
    <div role="alert">
      <Card title="Someone else saved this collection">
        <Stack>
          {changedByThem.length === 0 ? undefined : (
            <p>{`Their changes to these fields are kept: ${changedByThem.map((field) => fieldLabels[field]).join(", ")}.`}</p>
          )}
          {conflicts.length === 0 ? (
            <MutedText>Your changes do not overlap with theirs. Save to apply them.</MutedText>
          ) : (
            <p>You both changed these fields. Choose which version to keep. Nothing is saved until you save.</p>
          )}
          {conflicts.map((field) => (
            <VersionChoice
              key={field}
              name={fieldLabels[field]}
              yours={textOf(field, mine)}
              theirs={textOf(field, theirs)}
              isTheirs={chosen.has(field)}
              choose={(isTheirs) => choose(field, isTheirs)}
            />
          ))}
          <Row>
            <Button kind="strong" onClick={() => resolve(withFields(draft, theirs, [...chosen]))}>
              Continue editing
            </Button>
          </Row>
        </Stack>
      </Card>
    </div>
  )
}
