const REVIEWED = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' }

/** Changes how many stars a repository has, when a star has come or gone. */
async function countStar({ next, records, params }, by) {
  const answer = await next()
  const repos = records(`repos/${params.owner}`)
  const repo = await repos.get(params.repo)
  const count = Math.max(0, (repo?.stargazers_count ?? 0) + by)
  if (answer.status === 204 && repo) await repos.update(params.repo, { stargazers_count: count })
  return answer
}

export default {
  async 'issues/list-for-repo'({ next, records, reply, params }) {
    return (await records(`repos/${params.owner}`).get(params.repo)) ? next() : reply(404)
  },
  'activity/star-repo-for-authenticated-user': (context) => countStar(context, 1),
  'activity/unstar-repo-for-authenticated-user': (context) => countStar(context, -1),
  async 'pulls/create-review'({ next, records, reply, params, body }) {
    const answer = await next()
    const { owner, repo, pull_number } = params
    const reviews = records(`repos/${owner}/${repo}/pulls/${pull_number}/reviews`)
    const state = REVIEWED[body.event] ?? 'PENDING'
    return reply(200, await reviews.update(answer.body.id, { state }))
  },
}
