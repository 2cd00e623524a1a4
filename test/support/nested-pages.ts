import fc from 'fast-check';

export const nestedPage = (body: string, head = ''): string =>
  `<!DOCTYPE html>\n<html lang="cs">\n<head>\n<meta charset=utf-8><title>A &amp; B</title>${head}</head>\n<body class='a'>${body}</body>\n</html>\n`;

const PIECES = (
  '<div>|</div>|<p>|</p>|<ul>|</ul>|<li>|</li>|<dl>|<dt>|<dd>|</dl>|</dd>|<b>|</b>|<a href="/x?a=1&b=2">|</a>|<span id=s>|</span>|<h1>|</h1>|<h2>|</h2>|' +
  '<table>|</table>|<thead>|<tbody>|</tbody>|<tr>|</tr>|<td>|</td>|<th>|</th>|<caption>|</caption>|<colgroup>|<col>|</colgroup>|<form>|</form>|<input type=hidden>|' +
  '<select>|<option>|</option>|<optgroup>|</select>|<button>|</button>|<br>|<br/>|<hr>|<img src=a.png alt="">|<!-- c -->|<!---->|<!--a--!>|<pre>\n|</pre>|' +
  '<textarea>\n|</textarea>|<script>if (a < b) "</p>"</script>|<script><!--|</script>|<style>a > b {}</style>|<noscript><img></noscript>|<noscript>|</noscript>|' +
  '<svg viewBox="0 0 1 1" xmlns="http://www.w3.org/2000/svg">|</svg>|<path d="M0"/>|<g>|</g>|<title>|</title>|<use xlink:href="#a"/>|<lineargradient>|' +
  '</linearGradient>|a|1 < 2|&lt;|&nbsp;|&copy|&notit;|&#x80;|&#39;|&| & |\n|\r\n| |\t|\u0001|<em>|</em>|<x-a>|</x-a>|<template>|</template>|<nobr>|' +
  '<label for=x>|</label>|<object>|</object>|<iframe src=a></iframe>|<P CLASS=A class=b>|<DIV/>|<i>|</i>|</body>|</html>|<body onload=a>|<html a>|<head>|' +
  '<main>|</main>|<section>|</section>|<menu>|</menu>|<datalist>|</datalist>|<center>|</center>|<video>|</video>|<source src=a>|<![CDATA[x]]>|</br>|<math>|<meta name=a>|<fieldset>|<legend>|</fieldset>'
).split('|');

/** The content of a body: pieces, alone and as pairs, so that generated pages are understood as well as given up. */
export const nestedTree = fc.letrec<{ node: string; tree: string }>((tie) => ({
  node: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...PIECES) },
    fc
      .tuple(
        fc.constantFrom(
          ...'div p ul li dl dd b a span h1 table tbody tr td th form select option button pre svg g em section object label'.split(' '),
        ),
        tie('tree'),
      )
      .map(([name, inside]) => `<${name}>${inside}</${name}>`),
  ),
  tree: fc.array(tie('node'), { maxLength: 6 }).map((nodes) => nodes.join('')),
})).tree;
