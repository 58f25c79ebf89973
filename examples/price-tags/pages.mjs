const ENTITIES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" }

/** Text as HTML: what merchants call their products is not to be trusted. */
const text = (value) => String(value).replace(/[&<>"']/g, (character) => ENTITIES[character])

const page = (body) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Price tags</title>
<style>body { font: 16px/1.5 system-ui; max-width: 44rem; margin: 3rem auto; padding: 0 1rem } td { padding: .25rem 1rem .25rem 0 } img { display: block; border-radius: 6px; object-fit: cover }</style>
<h1>Price tags</h1>
${body}
</html>`

export const problem = (message) => page(`<p>${text(message)}</p><p><a href="/">Back</a></p>`)

export const welcome = () => page(`<p>It is on no store yet.</p><p><a href="/install">Install on a store</a></p>`)

/** Address of a small size, if the service stores the picture. */
const small = (url) => url.replace(/\/media\/[0-9a-f]{64}\/(?=[^/]+$)/, "$&160/")

const picture = (url) =>
  url === null ? "" : `<img src="${text(small(url))}" alt="" width="48" height="48" loading="lazy">`

const row = ({ currencyCode, id, imageUrl, name, price, version }) => `<tr>
  <td>${picture(imageUrl)}</td>
  <td>${text(name)}</td>
  <td>${text(Number(price).toFixed(2))} ${text(currencyCode)}</td>
  <td><form method="post" action="/raise">
    <input type="hidden" name="id" value="${text(id)}">
    <input type="hidden" name="version" value="${text(version)}">
    <input type="hidden" name="price" value="${text(Number(price))}">
    <button>Raise by 10 %</button>
  </form></td>
</tr>`

const change = ({ actor, data, occurredAt }) =>
  `<li>${text(occurredAt)}: ${text(data.product?.name ?? data.collection?.title)}, by ${text(actor.type)}</li>`

export const overview = (store, products, events) =>
  page(`<p>On ${text(store.name)}, ${text(store.productCount)} products.</p>
<table>${products.map(row).join("")}</table>
<h2>What others have changed</h2>
<ul>${events.map(change).join("") || "<li>Nothing yet</li>"}</ul>
<form method="post" action="/refresh"><button>Renew the token</button></form>`)
