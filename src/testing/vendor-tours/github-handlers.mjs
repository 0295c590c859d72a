const REVIEWED = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' }

export default {
  async 'issues/list-for-repo'({ next, records, reply, params }) {
    return (await records(`repos/${params.owner}`).get(params.repo)) ? next() : reply(404)
  },
  async 'pulls/create-review'({ next, records, reply, params, body }) {
    const answer = await next()
    const { owner, repo, pull_number } = params
    const reviews = records(`repos/${owner}/${repo}/pulls/${pull_number}/reviews`)
    const state = REVIEWED[body.event] ?? 'PENDING'
    return reply(200, await reviews.update(answer.body.id, { state }))
  },
}
