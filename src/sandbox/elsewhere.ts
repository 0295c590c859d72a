import type { Contract } from '../contract/contract.ts'
import type { Reply } from '../message.ts'
import { problems } from '../problem.ts'
import { CORS } from './headers.ts'

/** The 404 for an address outside the API, which tells where the API is. */
export function elsewhere(
  { basePath, operations, title }: Contract,
  origin: string,
  pathname: string,
): Reply {
  const paths = operations.map(({ method, path }) => `${method} ${basePath}${path}`).join(', ')

  return problems
    .notFound(`There is nothing at ${pathname}. The ${title} is at ${origin}${basePath}: ${paths}.`)
    .with(CORS)
    .toReply()
}
