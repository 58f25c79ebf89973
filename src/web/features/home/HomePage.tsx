import { Link, getRouteApi } from "@tanstack/react-router"
import { ago, useDates, number } from "../../shared/data/format.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { useStoreId, useStore } from "../../shared/data/store.ts"
import { Badge } from "../../shared/ui/display/Values.tsx"
import { QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { Card, MutedText, Page, Row } from "../../shared/ui/layout/Page.tsx"
import { actorLabels, isOfLargeSet, listEntries, verbOf } from "../activity/entries.ts"
import { ChangeSetSentence, EntrySentence, EntryTime } from "../activity/EntrySentence.tsx"
import { usePendingProposals } from "../proposals/proposalQueries.ts"
import { buttonClass } from "../../shared/ui/form/Button.tsx"
import { type ActivityGroup, groupActivity, listAppsWithWebhooks, appHealth } from "./homeRules.ts"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"
import { DEFAULT_DAYS } from "./homeSearch.ts"
import { BestSellers, SalesCard, useSummary } from "./SalesCard.tsx"
import { LowStock, OpenOrders } from "./WorkCards.tsx"

/** Entries that are read, and groups of them that are shown. */
const MAX_ENTRIES = 60
const MAX_GROUPS = 8

/** Sentence such as "Ada updated 36 products", which links to these changes. */
const GroupSentence = ({ group: { entries, newest, resources } }: { readonly group: ActivityGroup }) => {
  const storeId = useStoreId()
  if (newest.changeSetId !== null && isOfLargeSet(newest)) {
    return <ChangeSetSentence entry={newest} id={newest.changeSetId} />
  }
  if (resources === 1) {
    return (
      <>
        <EntrySentence entry={newest} />
        {entries === 1 ? undefined : ` (${homeTexts.activity.times(entries)})`}
      </>
    )
  }
  const kind = actorLabels[newest.actor.type]
  return (
    <>
      <strong>{newest.actorName}</strong> {kind === undefined ? undefined : <Badge>{kind}</Badge>}
      {kind === undefined ? "" : " "}
      {verbOf(newest, resources)}{" "}
      <Link
        to="/dashboard/$storeId/activity"
        params={{ storeId }}
        search={{ actorId: newest.actor.id, resource: newest.resource, surface: newest.surface }}
      >
        {homeTexts.activity.resources[newest.resource](resources)}
      </Link>
    </>
  )
}

/** Time of one change, or the first and last time of several, such as "14:02–14:10". */
const GroupTime = ({ group: { newest, oldest } }: { readonly group: ActivityGroup }) => {
  const { clockSpan, time } = useDates()
  const span = clockSpan(oldest.at, newest.at)
  return newest === oldest || span === clockSpan(newest.at, newest.at) ? (
    <EntryTime entry={newest} />
  ) : (
    <span title={`${time(oldest.at)} – ${time(newest.at)}`}>
      {ago(newest.at)}, {span}
    </span>
  )
}

/** Newest changes, grouped by actor and job. */
const RecentActivity = () => {
  const storeId = useStoreId()
  const query = useRpcQuery([storeId, "activity", "newest"], (client) =>
    listEntries(client, { storeId, limit: MAX_ENTRIES, collapseChangeSets: true })
  )
  return (
    <Card
      title={homeTexts.activity.title}
      actions={
        <Link to="/dashboard/$storeId/activity" params={{ storeId }}>
          {homeTexts.activity.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={query} lines={MAX_GROUPS}>
        {({ items, nextCursor }) => (
          <>
            <ol className={css["recent"]}>
              {groupActivity(items)
                .slice(0, MAX_GROUPS)
                .map((group) => (
                  <li key={group.oldest.id}>
                    <span>
                      <GroupSentence group={group} />
                    </span>
                    <GroupTime group={group} />
                  </li>
                ))}
            </ol>
            {nextCursor === null ? undefined : <MutedText>{homeTexts.activity.olderNotCounted}</MutedText>}
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}

const route = getRouteApi("/dashboard/member/$storeId/")

const ProductsCard = () => {
  const storeId = useStoreId()
  return (
    <Card
      title={homeTexts.products.title}
      actions={
        <Link to="/dashboard/$storeId/products" params={{ storeId }}>
          {homeTexts.products.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={useStore()} lines={3}>
        {({ plan, productCount: visibleCount }) => {
          const productCount = visibleCount ?? 0
          return (
            <>
              <p>
                <strong className={css["figure"]}>{number(productCount)}</strong>{" "}
                {homeTexts.products.usage(plan.productLimit, plan.name)}
              </p>
              <meter
                className={css["meter"]}
                aria-label={homeTexts.products.meter}
                min={0}
                max={plan.productLimit}
                high={plan.productLimit * 0.9}
                value={productCount}
              />
              {productCount < plan.productLimit ? undefined : <MutedText>{homeTexts.products.limitReached}</MutedText>}
            </>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}

const ProposalsCard = () => {
  const storeId = useStoreId()
  return (
    <Card title={homeTexts.proposals.title}>
      <QueryBoundary query={usePendingProposals()} lines={2}>
        {({ items, nextCursor }) =>
          items.length === 0 ? (
            <p>{homeTexts.proposals.empty}</p>
          ) : (
            <>
              <p>
                <strong className={css["figure"]}>
                  {number(items.length)}
                  {nextCursor === null ? "" : "+"}
                </strong>{" "}
                {homeTexts.proposals.waiting(items.length)}
              </p>
              <Row>
                <Link className={buttonClass()} to="/dashboard/$storeId/proposals" params={{ storeId }}>
                  {homeTexts.proposals.review(items.length)}
                </Link>
              </Row>
            </>
          )
        }
      </QueryBoundary>
    </Card>
  )
}

const AppsCard = () => {
  const storeId = useStoreId()
  const dates = useDates()
  const query = useRpcQuery([storeId, "installations", "health"], (client) => listAppsWithWebhooks(client, storeId))
  return (
    <Card
      title={homeTexts.apps.title}
      actions={
        <Link to="/dashboard/$storeId/apps" params={{ storeId }}>
          {homeTexts.apps.viewAll}
        </Link>
      }
    >
      <QueryBoundary query={query} lines={3}>
        {({ apps, hasMore }) => (
          <>
            {apps.length === 0 ? <p>{homeTexts.apps.empty}</p> : undefined}
            <ul className={css["apps"]}>
              {apps.map(({ app, webhook }) => {
                const [word, tone] = appHealth(app, webhook, dates)
                return (
                  <li key={app.id}>
                    <Link to="/dashboard/$storeId/apps/$installationId" params={{ storeId, installationId: app.id }}>
                      {app.appName}
                    </Link>
                    <Badge tone={tone}>{word}</Badge>
                  </li>
                )
              })}
            </ul>
            {hasMore ? <MutedText>{homeTexts.apps.shown(apps.length)}</MutedText> : undefined}
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}

/** First steps in a store without products. */
const GetStarted = () => {
  const storeId = useStoreId()
  return (
    <Card title={homeTexts.start.title}>
      <p>{homeTexts.start.advice}</p>
      <Row>
        <Link className={buttonClass("strong")} to="/dashboard/$storeId/products/new" params={{ storeId }}>
          {homeTexts.start.createProduct}
        </Link>
        <Link className={buttonClass()} to="/dashboard/$storeId/agents" params={{ storeId }}>
          {homeTexts.start.connectAgent}
        </Link>
        <Link className={buttonClass()} to="/dashboard/$storeId/apps" params={{ storeId }}>
          {homeTexts.start.connectApp}
        </Link>
      </Row>
      <MutedText>{homeTexts.start.importAdvice}</MutedText>
    </Card>
  )
}

/** Overview of the store: sales first, then work, then its state. */
export const HomePage = () => {
  const { days = DEFAULT_DAYS } = route.useSearch()
  const navigate = route.useNavigate()
  const store = useStore()
  const summary = useSummary(days)
  return (
    <Page title={homeTexts.title}>
      {store.data?.productCount === 0 ? <GetStarted /> : undefined}
      <SalesCard
        days={days}
        summary={summary}
        change={(next) => void navigate({ search: next === DEFAULT_DAYS ? {} : { days: next }, replace: true })}
      />
      <div className={css["tiles"]}>
        <OpenOrders />
        <LowStock />
        <BestSellers summary={summary} />
        <ProposalsCard />
        <AppsCard />
        <ProductsCard />
      </div>
      <RecentActivity />
    </Page>
  )
}
