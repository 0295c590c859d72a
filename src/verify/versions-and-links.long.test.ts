import { expect, test } from 'vitest'
import { CLUB, CLUB_FAULTS, CLUB_PATHS, CLUB_REST, Club } from '../testing/faulty-services/club.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { checksAround } from '../testing/long-run.ts'
import type { VerifyOptions } from './options.ts'
import { verify } from './verify.ts'

const contract = await loadDocumentOf(CLUB_PATHS, CLUB_REST)

/** The ids of the checks that fail. */
async function failed(club: Club, options: VerifyOptions = {}): Promise<readonly string[]> {
  const { checks } = await verify(CLUB.base, contract, {
    ...CLUB.options,
    fetch: (request) => club.fetch(request),
    ...options,
  })
  return checks.flatMap(({ id, status }) => (status === 'failed' ? [id] : []))
}

test('a service with versions, links to pages and records below others keeps all promises', async () => {
  const club = new Club()

  expect(await failed(club)).toEqual([])
  expect(club.records).toHaveLength(new Club().records.length)
})

test.each(Object.entries(CLUB_FAULTS))(
  'verify sees that a service %s: %s',
  async (fault, check) => {
    // The walk needs the visits that the checks of their creation make.
    const words = check.startsWith('listVisits/walk') ? 'visit' : undefined
    expect(await failed(new Club(fault), checksAround(check, words))).toContain(check)
  },
)
