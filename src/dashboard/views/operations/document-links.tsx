import type { JSX } from 'preact'
import { usePage } from '../../page.ts'

/** The document with the address of the sandbox, for code generators and other tools. */
export function DocumentLinks(): JSX.Element {
  const { site, route, client } = usePage()
  const world = route.world === undefined ? '' : `/worlds/${encodeURIComponent(client.name)}`
  const documents = ['document.json', 'document.yaml'].map((name) => `/__sandbox${world}/${name}`)
  const paths = world === '' ? [...documents, '/openapi.json'] : documents

  return (
    <p class="pages documents">
      <span class="quiet">The OpenAPI document as it is served:</span>
      {paths.map((path) => (
        <a key={path} href={site + path} target="_blank" rel="noreferrer">
          <code>{path.split('/').at(-1)}</code>
        </a>
      ))}
    </p>
  )
}
