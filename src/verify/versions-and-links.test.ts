import { expect, test } from 'vitest'
import { CLUB, CLUB_FAULTS, CLUB_PATHS, CLUB_REST, Club } from '../testing/faulty-services/club.ts'
import { loadDocumentOf } from '../testing/load-document-of.ts'
import { verify } from './verify.ts'

const contract = await loadDocumentOf(CLUB_PATHS, CLUB_REST)

/** The ids of the checks that fail. */
async function failed(club: Club): Promise<readonly string[]> {
  const { checks } = await verify(CLUB.base, contract, {
    ...CLUB.options,
    fetch: (request) => club.fetch(request),
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
    expect(await failed(new Club(fault))).toContain(check)
  },
)
