/** Kind of claim: one of the places 1…max that the plan of a payer gives. */
export const PROJECT_SLOT = 'project-slot';
