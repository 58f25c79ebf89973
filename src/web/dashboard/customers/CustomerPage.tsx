import { getRouteApi, Link } from "@tanstack/react-router"
import type { Customer } from "../../../domain/records/Customer.ts"
import { number, time } from "../../data/format.ts"
import { isMissing } from "../../data/errorMessages.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Badge } from "../../ui/display/Badge.tsx"
import { NotFoundPage } from "../../ui/layout/ErrorPage.tsx"
import { Card, Facts, MutedText, Page, Row } from "../../ui/layout/Page.tsx"
import { QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { addressLines, AddressText } from "../records/AddressText.tsx"
import { customerName } from "../records/customerName.ts"
import css from "../records/Records.module.css"

const route = getRouteApi("/dashboard/member/$storeId/customers/$customerId")

/** Customer details, read-only. */
export const CustomerPage = () => {
  const { customerId: id, storeId } = route.useParams()
  const query = useRpcQuery([storeId, "customer", id], (client) => client.customers.get({ storeId, id }))
  if (query.data === undefined && isMissing(query.error)) return <NotFoundPage />
  return (
    <Page
      title={query.data === undefined ? "Customer" : customerName(query.data)}
      above={
        <Link to="/dashboard/$storeId/customers" params={{ storeId }}>
          Customers
        </Link>
      }
    >
      <QueryBoundary query={query} lines={8}>
        {(customer) => <CustomerDetails customer={customer} />}
      </QueryBoundary>
    </Page>
  )
}

const CustomerDetails = ({ customer }: { readonly customer: Customer }) => {
  const addresses = customer.addresses ?? []
  return (
    <div className={css["record"]}>
      <div className={css["column"]}>
        <Card title="Contact">
          <Facts
            facts={[
              ["E-mail address", customer.email ?? "—"],
              ["Phone", customer.phone ?? "—"],
              ["Company", customer.company ?? "—"],
              ["Marketing", customer.acceptsMarketing ? "Subscribed" : "Not subscribed"]
            ]}
          />
        </Card>
        <Card title="Addresses">
          {addresses.length === 0 ? <MutedText>None</MutedText> : undefined}
          {addresses.map((address, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- Addresses have no other name than their place.
            <AddressText key={`${index} ${addressLines(address).join()}`} address={address} />
          ))}
        </Card>
      </div>
      <div className={css["column"]}>
        <Card title="Orders">
          <Facts
            facts={[
              ["Orders", number(customer.ordersCount)],
              ["Total spent, in the currencies of the orders", number(customer.totalSpent)]
            ]}
          />
        </Card>
        <Card title="Tags">
          {customer.tags.length === 0 ? (
            <MutedText>None</MutedText>
          ) : (
            <Row>
              {customer.tags.map((tag) => (
                <Badge key={tag}>{tag}</Badge>
              ))}
            </Row>
          )}
        </Card>
        <Card title="Dates">
          <Facts
            facts={[
              ["Created", time(customer.createdAt)],
              ["Updated", time(customer.updatedAt)]
            ]}
          />
        </Card>
      </div>
    </div>
  )
}
