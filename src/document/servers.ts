import { isNode, listOf, nodeOf, textOf } from './node.ts'

/** The path of the first server that has one, as `/v1`; empty when none has. */
export function basePathOf(servers: unknown): string {
  const paths = listOf(servers).map(pathOf)

  return paths.find((path) => path !== '') ?? ''
}

function pathOf(server: unknown): string {
  const { url, variables } = nodeOf(server)
  const filled = (textOf(url) ?? '').replaceAll(/\{([^{}]+)\}/g, (_braces, name: string) => {
    const variable = nodeOf(variables)[name]

    return isNode(variable) ? String(variable.default) : ''
  })
  // A relative address stands for one below the host that serves the document.
  const address = URL.canParse(filled, 'http://localhost')
    ? new URL(filled, 'http://localhost')
    : undefined

  return address?.pathname.replace(/\/+$/, '') ?? ''
}
