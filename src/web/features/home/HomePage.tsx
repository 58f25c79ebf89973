import { Link } from "@tanstack/react-router"
import { number } from "../../shared/data/format.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { Badge } from "../../shared/ui/display/Badge.tsx"
import { buttonClass } from "../../shared/ui/form/Button.tsx"
import { Card, Page, MutedText, Row } from "../../shared/ui/layout/Page.tsx"
import { QueryBoundary, EmptyState } from "../../shared/ui/display/QueryBoundary.tsx"
import { listEntries } from "../activity/entries.ts"
import { EntrySentence, EntryTime } from "../activity/EntrySentence.tsx"
import { useStore, useStoreId } from "../../shared/data/store.ts"
import { usePendingProposals } from "../../app/usePendingProposals.ts"
import { listAppsWithWebhooks, appHealth } from "./appHealth.ts"
import css from "./Home.module.css"
import { homeTexts } from "./homeTexts.ts"

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
        {({ plan, productCount }) => (
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
        )}
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
                const [word, tone] = appHealth(app, webhook)
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

/** Entries in the activity card. */
const RECENT_ENTRIES = 8

const NoProducts = () => {
  const storeId = useStoreId()
  return (
    <EmptyState title={homeTexts.activity.noProducts}>
      <p>{homeTexts.activity.noProductsAdvice}</p>
      <Link className={buttonClass("strong")} to="/dashboard/$storeId/products/new" params={{ storeId }}>
        {homeTexts.activity.createProduct}
      </Link>
    </EmptyState>
  )
}

const RecentActivity = () => {
  const storeId = useStoreId()
  const store = useStore()
  const query = useRpcQuery([storeId, "activity", "newest"], (client) =>
    listEntries(client, { storeId, limit: RECENT_ENTRIES })
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
      <QueryBoundary query={query} lines={RECENT_ENTRIES}>
        {({ items }) => (
          <>
            {store.data?.productCount === 0 ? <NoProducts /> : undefined}
            <ol className={css["recent"]}>
              {items.map((entry) => (
                <li key={entry.id}>
                  <span>
                    <EntrySentence entry={entry} />
                  </span>
                  <EntryTime entry={entry} />
                </li>
              ))}
            </ol>
          </>
        )}
      </QueryBoundary>
    </Card>
  )
}

/** Overview of the store. */
export const HomePage = () => (
  <Page title={homeTexts.title}>
    <div className={css["tiles"]}>
      <ProductsCard />
      <ProposalsCard />
      <AppsCard />
    </div>
    <RecentActivity />
  </Page>
)
