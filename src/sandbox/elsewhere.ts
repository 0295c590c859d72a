import type { Contract } from '../contract/contract.ts'
import type { Reply } from '../message.ts'
import { problems } from '../problem.ts'

/** The 404 for an address outside the API, which tells where the API is. `url` is the whole address. */
export function elsewhere({ basePath, operations, title }: Contract, url: string): Reply {
  const { origin, pathname } = new URL(url)
  const paths = operations.map(({ method, path }) => `${method} ${basePath}${path}`).join(', ')

  return problems
    .notFound(`There is nothing at ${pathname}. The ${title} is at ${origin}${basePath}: ${paths}.`)
    .toReply()
}
