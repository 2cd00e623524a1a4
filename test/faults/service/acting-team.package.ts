import titles from './titles.projection.ts';
import titlesOut from './titles-out.reactor.ts';

export default { projections: [titles], reactors: [titlesOut] };
