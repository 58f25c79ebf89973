import { Link } from "@tanstack/react-router"
import { useStoreId } from "../store.ts"

export const BackToProducts = () => {
  const storeId = useStoreId()
  return (
    <Link to="/dashboard/$storeId/products" params={{ storeId }}>
      ← Products
    </Link>
  )
}
