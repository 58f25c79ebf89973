import { type Dates, useDates } from "../../shared/data/dates.ts"
import { merge, withFields } from "../../shared/data/merge.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, MutedText, Row, Stack } from "../../shared/ui/layout/Page.tsx"
import { useVersionChoices, VersionChoice } from "../../shared/ui/form/VersionChoice.tsx"
import type { Draft } from "./collectionDraft.ts"
import { ruleOf } from "./rules/ruleDraft.ts"
import { ruleSentence } from "./rules/ruleSentence.ts"
import { collectionTexts } from "./collectionTexts.ts"

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
export const ConflictCard = ({ base, resolve, mine, theirs }: ConflictCardProps) => {
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
